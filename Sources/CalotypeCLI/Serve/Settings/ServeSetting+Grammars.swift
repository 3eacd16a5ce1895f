/// The settings of the grammars of Next.js and Cloudflare, of uploads, and of pages of other origins.
extension ServeSetting {
    static let nextImage = ServeSetting(
        "next-image",
        .flag,
        "false",
        "URLs of Next.js, /_next/image; needs allowed-sources and widths."
    )
    static let nextQualities = ServeSetting(
        "next-qualities",
        .list,
        "",
        "Qualities allowed in URLs of Next.js, such as 75,90; 1…100 if unset."
    )
    static let cloudflare = ServeSetting(
        "cloudflare",
        .flag,
        "false",
        "URLs of Cloudflare, /cdn-cgi/image/; needs allowed-sources and widths."
    )
    static let siteURL = ServeSetting(
        "site-url",
        .text,
        "",
        "Origin of sources without a host in URLs of Next.js and Cloudflare."
    )
    static let widths = ServeSetting(
        "widths",
        .list,
        "",
        "Widths that unsigned URLs are rounded up to, such as 320,640,1280."
    )
    static let clientHints = ServeSetting(
        "client-hints",
        .flag,
        "false",
        imgproxy: ["ENABLE_CLIENT_HINTS"],
        "Client hints DPR and Width as defaults of imgproxy URLs, rounded up."
    )
    static let allowOrigin = ServeSetting(
        "allow-origin",
        .list,
        imgproxy: ["ALLOW_ORIGIN"],
        "Origins whose pages may read responses (CORS); * for all, none if unset."
    )
    static let fallbackFor = ServeSetting(
        "fallback-for",
        .list,
        "",
        "Error statuses that the fallback replaces: 404,5xx; all but 503 if unset."
    )
    static let fallbackMaxAge = ServeSetting(
        "fallback-max-age",
        .duration(.zero...(.seconds(3_153_600_000))),
        "0s",
        imgproxy: ["FALLBACK_IMAGE_TTL"],
        "Cache-Control max-age of the fallback image; 0s sends no-store."
    )
    static let uploads = ServeSetting(
        "uploads",
        .flag,
        "false",
        "POST of an image to /signature/options/plain/-, which returns the result."
    )
    static let uploadToken = ServeSetting(
        "upload-token",
        .text,
        secret: true,
        "Bearer token of uploads, in place of a signature."
    )
    static let uploadTimeout = ServeSetting(
        "upload-timeout",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "30s",
        "Time limit for receiving an upload."
    )

    static let ofGrammars = [
        nextImage, nextQualities, cloudflare, siteURL, widths, clientHints, allowOrigin, fallbackFor,
        fallbackMaxAge, uploads, uploadToken, uploadTimeout,
    ]
}
