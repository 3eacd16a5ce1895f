/// What a service makes of pictures, and how it keeps them.
extension ServeSetting {
    static let quality = ServeSetting(
        "quality",
        .count(1...100),
        "80",
        imgproxy: ["QUALITY"],
        "The quality of JPEG, HEIC and what format-quality does not name."
    )
    static let formatQuality = ServeSetting(
        "format-quality",
        .list,
        "webp=79,avif=63,jxl=77",
        imgproxy: ["FORMAT_QUALITY"],
        "The qualities of single formats."
    )
    static let autoFormats = ServeSetting(
        "auto-formats",
        .list,
        "avif,webp",
        imgproxy: ["AUTO_AVIF", "AUTO_WEBP", "AUTO_JXL"],
        "What is made for clients that name it in Accept, the best first; “none” for nothing."
    )
    static let keepCopyright = ServeSetting(
        "keep-copyright",
        .flag,
        "false",
        imgproxy: ["KEEP_COPYRIGHT"],
        "Have results say whose the picture is, as the original does, where a URL does not speak of it."
    )
    static let maxAge = ServeSetting(
        "max-age",
        .duration(.zero...(.seconds(3_153_600_000))),
        "365d",
        imgproxy: ["TTL"],
        "How long others may keep an answer; 0s for no-cache."
    )
    static let staleWhileRevalidate = ServeSetting(
        "stale-while-revalidate",
        .duration(.zero...(.seconds(3_153_600_000))),
        "1d",
        "How long after max-age caches, and this service, may use a response while it is revalidated."
    )
    static let staleIfError = ServeSetting(
        "stale-if-error",
        .duration(.zero...(.seconds(3_153_600_000))),
        "1d",
        """
        How long after max-age caches may use a response if this service fails, \
        and this service if the origin fails.
        """
    )
    static let followOrigin = ServeSetting(
        "follow-origin",
        .flag,
        "false",
        imgproxy: ["CACHE_CONTROL_PASSTHROUGH"],
        "Let others keep an answer no longer than its origin says of the original."
    )
    static let avifBehind = ServeSetting(
        "avif-behind",
        .flag,
        "true",
        "Answer with WebP where there is no AVIF yet, which is made behind it."
    )
    static let fallbackImage = ServeSetting(
        "fallback-image",
        .text,
        imgproxy: ["FALLBACK_IMAGE_PATH"],
        "A file whose picture is shown where one cannot be had; none unless set."
    )
    static let fallbackStatus = ServeSetting(
        "fallback-status",
        .count(0...599),
        "200",
        imgproxy: ["FALLBACK_IMAGE_HTTP_CODE"],
        "The status of that answer; 0 for that of the error."
    )
    static let attachment = ServeSetting(
        "attachment",
        .flag,
        "false",
        imgproxy: ["RETURN_ATTACHMENT"],
        "Have pictures saved and not shown where a URL does not say."
    )
    static let svg = ServeSetting(
        "svg",
        .choice(["draw", "pass-through"]),
        "draw",
        imgproxy: ["ALWAYS_RASTERIZE_SVG"],
        "Draw SVG, or give it as it is where a URL asks for nothing else; either needs the sandbox."
    )
    static let presets = ServeSetting(
        "presets",
        .list,
        imgproxy: ["PRESETS"],
        "Lists of imgproxy's options by name, as thumb=rs:fill:150:150/f:png; “default” goes before all."
    )
    static let onlyPresets = ServeSetting(
        "only-presets",
        .flag,
        "false",
        imgproxy: ["ONLY_PRESETS"],
        "Have URLs of imgproxy's name presets and nothing else."
    )
    static let allowedOptions = ServeSetting(
        "allowed-options",
        .list,
        imgproxy: ["ALLOWED_PROCESSING_OPTIONS"],
        "The options that URLs of imgproxy's may have, each as it is written; all unless set."
    )
    static let separator = ServeSetting(
        "separator",
        .text,
        ":",
        imgproxy: ["ARGUMENTS_SEPARATOR"],
        "The character between an option of imgproxy's and its arguments."
    )
    static let base64FileName = ServeSetting(
        "base64-file-name",
        .flag,
        "false",
        imgproxy: ["BASE64_URL_INCLUDES_FILENAME"],
        "Take the last part of a source in base64 for a name that does not count."
    )
    static let work = ServeSetting(
        "work",
        .count(1...10_000),
        "32",
        imgproxy: ["WORKERS"],
        "Pictures that are made at once; loading takes no place."
    )
    static let workMemory = ServeSetting(
        "work-memory",
        .bytes(1_000_000...1_000_000_000_000),
        "256MB",
        "The most bytes of pixels that are held for them; a picture that takes more is made alone."
    )
    static let workTime = ServeSetting(
        "work-time",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "10s",
        "How long a decode, a transform or an encode may take; a picture that takes longer is refused."
    )
    static let sandbox = ServeSetting(
        "sandbox",
        .choice(["on", "best-effort", "off"]),
        "on",
        "Decode and encode in processes that can do nothing else; “best-effort” also where the system does "
            + "not lock them in."
    )
    static let workerMemory = ServeSetting(
        "worker-memory",
        .bytes(64_000_000...1_000_000_000_000),
        "1GB",
        "The most bytes of such a process; a picture that takes more is refused."
    )
    static let workersMemory = ServeSetting(
        "workers-memory",
        .bytes(64_000_000...1_000_000_000_000),
        "70%",
        "The most bytes of all such processes together; above it idle ones are ended, then the largest."
    )
    static let queue = ServeSetting(
        "queue",
        .count(0...1_000_000),
        "256",
        imgproxy: ["REQUESTS_QUEUE_SIZE"],
        "Pictures that wait for their turn; more are answered with 503."
    )
    static let memory = ServeSetting(
        "memory",
        .bytes(0...1_000_000_000_000),
        "256MB",
        "The most bytes of results in memory."
    )
    static let cacheDirectory = ServeSetting(
        "cache-dir",
        .text,
        "",
        "The folder of the disk's caches; $XDG_CACHE_HOME/calotype unless set; “none” for no disk."
    )
    static let disk = ServeSetting(
        "disk",
        .bytes(1_000_000...1_000_000_000_000_000),
        "1GB",
        "The most bytes of results on disk."
    )
    static let diskOriginals = ServeSetting(
        "disk-originals",
        .bytes(1_000_000...1_000_000_000_000_000),
        "1GB",
        "The most bytes of originals on disk, of which other results can be made without asking for them."
    )
    static let diskExpiry = ServeSetting(
        "disk-expiry",
        .duration(.seconds(1)...(.seconds(3_153_600_000))),
        "30d",
        "What has not been asked for so long leaves the disk."
    )
    static let trustCacheDirectory = ServeSetting(
        "trust-cache-dir",
        .flag,
        "false",
        "Use the cache folder also where other users could write to it, as a container's volume."
    )

    static let ofResults = [
        quality, formatQuality, autoFormats, keepCopyright, maxAge, staleWhileRevalidate, staleIfError,
        followOrigin,
        avifBehind, fallbackImage, fallbackStatus, attachment, svg, presets,
        onlyPresets, allowedOptions, separator, base64FileName, work, workMemory, workTime, sandbox,
        workerMemory, workersMemory, queue, memory, cacheDirectory, disk, diskOriginals, diskExpiry,
        trustCacheDirectory,
    ]

    /// All, in the order in which they are shown.
    static let all = listening + ofSources + ofResults
}
