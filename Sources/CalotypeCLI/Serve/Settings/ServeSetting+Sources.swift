/// The settings of signatures and sources.
extension ServeSetting {
    static let key = ServeSetting(
        "key",
        .list,
        secret: true,
        imgproxy: ["KEY"],
        "Hexadecimal keys of imgproxy signatures; all verify, the first one signs."
    )
    static let salt = ServeSetting(
        "salt",
        .list,
        secret: true,
        imgproxy: ["SALT"],
        "Hexadecimal salts of imgproxy signatures, one for each key."
    )
    static let signatureSize = ServeSetting(
        "signature-size",
        .count(8...32),
        "32",
        imgproxy: ["SIGNATURE_SIZE"],
        "Length of imgproxy signatures in bytes (truncated HMAC)."
    )
    static let trustedSignatures = ServeSetting(
        "trusted-signatures",
        .list,
        secret: true,
        imgproxy: ["TRUSTED_SIGNATURES"],
        "Strings accepted verbatim in place of an imgproxy signature."
    )
    static let thumborKey = ServeSetting(
        "thumbor-key",
        .text,
        secret: true,
        "Key of thumbor signatures; if only one grammar has a key, the other is off."
    )
    static let allowUnsigned = ServeSetting(
        "allow-unsigned",
        .flag,
        "false",
        "Unsigned URLs also on an address reachable from other machines."
    )
    static let allowedSources = ServeSetting(
        "allowed-sources",
        .list,
        imgproxy: ["ALLOWED_SOURCES"],
        "Source origins and paths: https://images.example/shop, *.images.example."
    )
    static let allowPrivateSources = ServeSetting(
        "allow-private-sources",
        .ranges,
        "false",
        imgproxy: [
            "ALLOW_LOOPBACK_SOURCE_ADDRESSES", "ALLOW_LINK_LOCAL_SOURCE_ADDRESSES",
            "ALLOW_PRIVATE_SOURCE_ADDRESSES",
        ],
        "Non-public source addresses, such as 10.1.2.0/24,::1; true allows all."
    )
    static let localRoot = ServeSetting(
        "local-root",
        .text,
        imgproxy: ["LOCAL_FILESYSTEM_ROOT"],
        "Folder for local:/// sources; none if unset."
    )
    static let baseURL = ServeSetting(
        "base-url",
        .text,
        imgproxy: ["BASE_URL"],
        "Prefix added to source URLs that do not begin with it."
    )
    static let sourceTimeout = ServeSetting(
        "source-timeout",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "20s",
        imgproxy: ["DOWNLOAD_TIMEOUT"],
        "Time limit for an original, including queueing, redirects and retries."
    )
    static let sourceMinAge = ServeSetting(
        "source-min-age",
        .duration(.zero...(.seconds(3_153_600_000))),
        "1h",
        "Minimum time before an original is revalidated, except no-cache and no-store."
    )
    static let sourceMaxAge = ServeSetting(
        "source-max-age",
        .duration(.zero...(.seconds(3_153_600_000))),
        "365d",
        "Maximum time before an original is revalidated."
    )
    static let sourceRedirects = ServeSetting(
        "source-redirects",
        .count(0...100),
        "5",
        imgproxy: ["MAX_REDIRECTS"],
        "Maximum number of redirects followed."
    )
    static let sourceConnections = ServeSetting(
        "source-connections",
        .count(1...1000),
        "16",
        "Maximum concurrent loads from one host."
    )
    static let userAgent = ServeSetting(
        "user-agent",
        .text,
        "Calotype",
        imgproxy: ["USER_AGENT"],
        "User-Agent sent to origins."
    )
    static let referer = ServeSetting(
        "referer",
        .text,
        "",
        "Referer sent to all origins."
    )
    static let sourceCAFile = ServeSetting(
        "source-ca-file",
        .text,
        "",
        "File of certificates (PEM) to trust in addition to the system's."
    )
    static let origins = ServeSetting(
        "origins",
        .origins,
        secret: true,
        "Header fields, passwords, tokens and certificates by origin."
    )
    static let sourceBytes = ServeSetting(
        "source-bytes",
        .bytes(1...4_000_000_000),
        "64MB",
        imgproxy: ["MAX_SRC_FILE_SIZE"],
        "Maximum size of an original, in bytes."
    )
    static let sourcePixels = ServeSetting(
        "source-pixels",
        .count(1...1_000_000_000),
        "50000000",
        imgproxy: ["MAX_SRC_RESOLUTION"],
        "Maximum pixels in a frame of an original (imgproxy variable: megapixels)."
    )
    static let sourceFrames = ServeSetting(
        "source-frames",
        .count(1...100_000),
        "1000",
        imgproxy: ["MAX_ANIMATION_FRAMES"],
        "Maximum frames of an animation; the frames after them are ignored."
    )

    static let ofSources = [
        key, salt, signatureSize, trustedSignatures, thumborKey, allowUnsigned, allowedSources,
        allowPrivateSources, localRoot, baseURL, sourceTimeout, sourceMinAge, sourceMaxAge, sourceRedirects,
        sourceConnections, userAgent, referer, sourceCAFile, origins,
        sourceBytes, sourcePixels, sourceFrames,
    ]
}
