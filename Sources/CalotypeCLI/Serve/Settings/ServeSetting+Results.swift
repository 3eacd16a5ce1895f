/// The settings of results, processing and caches.
extension ServeSetting {
    static let quality = ServeSetting(
        "quality",
        .count(1...100),
        "80",
        imgproxy: ["QUALITY"],
        "Quality of JPEG, HEIC and formats not listed in format-quality."
    )
    static let formatQuality = ServeSetting(
        "format-quality",
        .list,
        "webp=79,avif=63,jxl=77",
        imgproxy: ["FORMAT_QUALITY"],
        "Quality of individual formats."
    )
    static let autoFormats = ServeSetting(
        "auto-formats",
        .list,
        "avif,webp",
        imgproxy: ["AUTO_AVIF", "AUTO_WEBP", "AUTO_JXL"],
        "Formats offered through Accept, best first; “none” disables negotiation."
    )
    static let keepCopyright = ServeSetting(
        "keep-copyright",
        .flag,
        "false",
        imgproxy: ["KEEP_COPYRIGHT"],
        "Exif artist and copyright kept in results, unless the URL overrides it."
    )
    static let stripMetadata = ServeSetting(
        "strip-metadata",
        .flag,
        "true",
        imgproxy: ["STRIP_METADATA"],
        "Exif, XMP and IPTC removed from results, unless the URL overrides it."
    )
    static let stripColorProfile = ServeSetting(
        "strip-color-profile",
        .flag,
        "false",
        imgproxy: ["STRIP_COLOR_PROFILE"],
        "Results in sRGB without a profile, unless the URL overrides it."
    )
    static let light = ServeSetting(
        "light",
        .choice(["automatic", "linear", "encoded"]),
        "automatic",
        imgproxy: ["USE_LINEAR_COLORSPACE"],
        "Values mixed by resizes; “automatic”: linear light to reduce photographs."
    )
    static let maxAge = ServeSetting(
        "max-age",
        .duration(.zero...(.seconds(3_153_600_000))),
        "365d",
        imgproxy: ["TTL"],
        "Cache-Control max-age of responses; 0s sends no-cache."
    )
    static let staleWhileRevalidate = ServeSetting(
        "stale-while-revalidate",
        .duration(.zero...(.seconds(3_153_600_000))),
        "1d",
        "Time after max-age when caches and this service serve stale and revalidate."
    )
    static let staleIfError = ServeSetting(
        "stale-if-error",
        .duration(.zero...(.seconds(3_153_600_000))),
        "1d",
        "Time after max-age when caches and this service serve stale on errors."
    )
    static let followOrigin = ServeSetting(
        "follow-origin",
        .flag,
        "false",
        imgproxy: ["CACHE_CONTROL_PASSTHROUGH"],
        "Response lifetime limited by the caching fields of the original."
    )
    static let avifBehind = ServeSetting(
        "avif-behind",
        .flag,
        "true",
        "WebP served on an AVIF miss, with the AVIF encoded in the background."
    )
    static let fallbackImage = ServeSetting(
        "fallback-image",
        .text,
        imgproxy: ["FALLBACK_IMAGE_PATH", "FALLBACK_IMAGE_DATA"],
        "Image file served in place of an image that fails; none if unset."
    )
    static let fallbackStatus = ServeSetting(
        "fallback-status",
        .count(0...599),
        "200",
        imgproxy: ["FALLBACK_IMAGE_HTTP_CODE"],
        "HTTP status of the fallback image; 0 for the status of the error."
    )
    static let watermarkData = ServeSetting(
        "watermark-data",
        .text,
        imgproxy: ["WATERMARK_DATA"],
        "Watermark image in base64."
    )
    static let watermarkPath = ServeSetting(
        "watermark-path",
        .text,
        imgproxy: ["WATERMARK_PATH"],
        "Watermark image file; a changed file is read again."
    )
    static let watermarkURL = ServeSetting(
        "watermark-url",
        .text,
        imgproxy: ["WATERMARK_URL"],
        "Watermark image URL, loaded and cached like a source."
    )
    static let watermarkOpacity = ServeSetting(
        "watermark-opacity",
        .text,
        "1",
        imgproxy: ["WATERMARK_OPACITY"],
        "Factor for the opacity of imgproxy's watermarks, 0…1."
    )
    static let attachment = ServeSetting(
        "attachment",
        .flag,
        "false",
        imgproxy: ["RETURN_ATTACHMENT"],
        "Content-Disposition attachment, unless the URL overrides it."
    )
    static let infoLocation = ServeSetting(
        "info-location",
        .flag,
        "false",
        "Position of the camera included in /info, from Exif."
    )
    static let svg = ServeSetting(
        "svg",
        .choice(["draw", "pass-through"]),
        "draw",
        imgproxy: ["ALWAYS_RASTERIZE_SVG"],
        "Rasterized SVG, or original SVG if the URL asks for no change; needs sandbox."
    )
    static let presets = ServeSetting(
        "presets",
        .list,
        imgproxy: ["PRESETS"],
        "Named imgproxy options: thumb=rs:fill:150:150/f:png; “default” comes first."
    )
    static let onlyPresets = ServeSetting(
        "only-presets",
        .flag,
        "false",
        imgproxy: ["ONLY_PRESETS"],
        "imgproxy URLs limited to preset names."
    )
    static let allowedOptions = ServeSetting(
        "allowed-options",
        .list,
        imgproxy: ["ALLOWED_PROCESSING_OPTIONS"],
        "Options allowed in imgproxy URLs, as spelled there; all if unset."
    )
    static let separator = ServeSetting(
        "separator",
        .text,
        ":",
        imgproxy: ["ARGUMENTS_SEPARATOR"],
        "Separator between an imgproxy option and its arguments."
    )
    static let base64FileName = ServeSetting(
        "base64-file-name",
        .flag,
        "false",
        imgproxy: ["BASE64_URL_INCLUDES_FILENAME"],
        "Last segment of a base64 source ignored as a file name."
    )
    static let work = ServeSetting(
        "work",
        .count(1...10_000),
        "32",
        imgproxy: ["WORKERS"],
        "Maximum images processed at once; downloads do not count."
    )
    static let workMemory = ServeSetting(
        "work-memory",
        .bytes(1_000_000...1_000_000_000_000),
        "256MB",
        "Maximum pixel bytes processed at once; a larger image is processed alone."
    )
    static let workTime = ServeSetting(
        "work-time",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "10s",
        "Time limit for a decode, a transform or an encode."
    )
    static let sandbox = ServeSetting(
        "sandbox",
        .choice(["on", "best-effort", "off"]),
        "on",
        "Locked-down codec processes; “best-effort” tolerates failure to lock down."
    )
    static let workerMemory = ServeSetting(
        "worker-memory",
        .bytes(64_000_000...1_000_000_000_000),
        "1GB",
        "Maximum memory of a codec process; images that need more are rejected."
    )
    static let workersMemory = ServeSetting(
        "workers-memory",
        .bytes(64_000_000...1_000_000_000_000),
        "70%",
        "Maximum memory of all codec processes; above it idle, then large ones end."
    )
    static let queue = ServeSetting(
        "queue",
        .count(0...1_000_000),
        "256",
        imgproxy: ["REQUESTS_QUEUE_SIZE"],
        "Maximum images waiting to be processed; more requests get 503."
    )
    static let memory = ServeSetting(
        "memory",
        .bytes(0...1_000_000_000_000),
        "256MB",
        "Maximum bytes of results in memory."
    )
    static let cacheDirectory = ServeSetting(
        "cache-dir",
        .text,
        "",
        "Disk cache folder; $XDG_CACHE_HOME/calotype if unset; “none” for no disk."
    )
    static let disk = ServeSetting(
        "disk",
        .bytes(1_000_000...1_000_000_000_000_000),
        "1GB",
        "Maximum bytes of results on disk."
    )
    static let diskOriginals = ServeSetting(
        "disk-originals",
        .bytes(1_000_000...1_000_000_000_000_000),
        "1GB",
        "Maximum bytes of originals on disk, reused for other results."
    )
    static let diskExpiry = ServeSetting(
        "disk-expiry",
        .duration(.seconds(1)...(.seconds(3_153_600_000))),
        "30d",
        "Time that an entry stays on disk after its last use."
    )
    static let trustCacheDirectory = ServeSetting(
        "trust-cache-dir",
        .flag,
        "false",
        "Cache folder that other users can write to, such as a container volume."
    )

    static let ofResults = [
        quality, formatQuality, autoFormats, keepCopyright, stripMetadata, stripColorProfile, light,
        maxAge, staleWhileRevalidate, staleIfError, followOrigin,
        avifBehind, fallbackImage, fallbackStatus, watermarkData, watermarkPath, watermarkURL,
        watermarkOpacity, attachment, infoLocation, svg, presets,
        onlyPresets, allowedOptions, separator, base64FileName, work, workMemory, workTime, sandbox,
        workerMemory, workersMemory, queue, memory, cacheDirectory, disk, diskOriginals, diskExpiry,
        trustCacheDirectory,
    ]

    /// All settings, in display order.
    static let all = listening + ofSources + ofResults + ofEncoders + ofGrammars
}
