/// Which pictures a service gives out, and whom it believes.
extension ServeSetting {
    static let key = ServeSetting(
        "key",
        .list,
        secret: true,
        imgproxy: ["KEY"],
        "Keys of imgproxy's signatures in hexadecimal digits; any may have signed, the first one signs."
    )
    static let salt = ServeSetting(
        "salt",
        .list,
        secret: true,
        imgproxy: ["SALT"],
        "Their salts, as many as there are keys."
    )
    static let signatureSize = ServeSetting(
        "signature-size",
        .count(8...32),
        "32",
        imgproxy: ["SIGNATURE_SIZE"],
        "Bytes of a code that are imgproxy's signature."
    )
    static let trustedSignatures = ServeSetting(
        "trusted-signatures",
        .list,
        secret: true,
        imgproxy: ["TRUSTED_SIGNATURES"],
        "Texts that are taken for a signature of imgproxy's as they stand."
    )
    static let thumborKey = ServeSetting(
        "thumbor-key",
        .text,
        secret: true,
        "The key of thumbor's signatures; if only one of the two grammars has a key, only that one is served."
    )
    static let allowUnsigned = ServeSetting(
        "allow-unsigned",
        .flag,
        "false",
        "Serve URLs without a signature also on an address that other machines reach."
    )
    static let allowedSources = ServeSetting(
        "allowed-sources",
        .list,
        imgproxy: ["ALLOWED_SOURCES"],
        "Origins and paths that pictures may come from, as https://images.example/shop or *.images.example."
    )
    static let allowPrivateSources = ServeSetting(
        "allow-private-sources",
        .ranges,
        "false",
        imgproxy: [
            "ALLOW_LOOPBACK_SOURCE_ADDRESSES", "ALLOW_LINK_LOCAL_SOURCE_ADDRESSES",
            "ALLOW_PRIVATE_SOURCE_ADDRESSES",
        ],
        "Addresses beside public ones that are loaded from, as 10.1.2.0/24,::1; true for all of them."
    )
    static let localRoot = ServeSetting(
        "local-root",
        .text,
        imgproxy: ["LOCAL_FILESYSTEM_ROOT"],
        "The folder of local:/// sources; none unless set."
    )
    static let baseURL = ServeSetting(
        "base-url",
        .text,
        imgproxy: ["BASE_URL"],
        "What is put before sources that do not begin so."
    )
    static let sourceTimeout = ServeSetting(
        "source-timeout",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "20s",
        imgproxy: ["DOWNLOAD_TIMEOUT"],
        "How long an original may take: its turn, redirects and retries included."
    )
    static let sourceMinAge = ServeSetting(
        "source-min-age",
        .duration(.zero...(.seconds(3_153_600_000))),
        "1h",
        "How long an original is used before its origin is asked again, at least; no-cache and no-store hold."
    )
    static let sourceMaxAge = ServeSetting(
        "source-max-age",
        .duration(.zero...(.seconds(3_153_600_000))),
        "365d",
        "How long an original is used before its origin is asked again, at most."
    )
    static let sourceRedirects = ServeSetting(
        "source-redirects",
        .count(0...100),
        "5",
        imgproxy: ["MAX_REDIRECTS"],
        "Redirects that are followed."
    )
    static let sourceConnections = ServeSetting(
        "source-connections",
        .count(1...1000),
        "16",
        "Originals that are loaded at once from one host."
    )
    static let userAgent = ServeSetting(
        "user-agent",
        .text,
        "Calotype",
        imgproxy: ["USER_AGENT"],
        "What origins are told of who asks."
    )
    static let sourceBytes = ServeSetting(
        "source-bytes",
        .bytes(1...4_000_000_000),
        "64MB",
        imgproxy: ["MAX_SRC_FILE_SIZE"],
        "The most bytes of an original."
    )
    static let sourcePixels = ServeSetting(
        "source-pixels",
        .count(1...1_000_000_000),
        "50000000",
        imgproxy: ["MAX_SRC_RESOLUTION"],
        "The most pixels of a frame of an original; imgproxy's variable counts millions."
    )
    static let sourceFrames = ServeSetting(
        "source-frames",
        .count(1...100_000),
        "1000",
        imgproxy: ["MAX_ANIMATION_FRAMES"],
        "The most frames of an original; a longer animation is refused."
    )

    static let ofSources = [
        key, salt, signatureSize, trustedSignatures, thumborKey, allowUnsigned, allowedSources,
        allowPrivateSources, localRoot, baseURL, sourceTimeout, sourceMinAge, sourceMaxAge, sourceRedirects,
        sourceConnections, userAgent,
        sourceBytes, sourcePixels, sourceFrames,
    ]
}
