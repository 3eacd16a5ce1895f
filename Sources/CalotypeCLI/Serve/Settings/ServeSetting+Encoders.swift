import CalotypeServer

/// The settings of individual encoders, and of originals that are damaged or smaller than their results.
extension ServeSetting {
    static let jpegProgressive = ServeSetting(
        "jpeg-progressive",
        .flag,
        "false",
        imgproxy: ["JPEG_PROGRESSIVE"],
        "JPEG in several scans, coarse at first, unless the URL overrides it."
    )
    static let pngInterlaced = ServeSetting(
        "png-interlaced",
        .flag,
        "false",
        imgproxy: ["PNG_INTERLACED"],
        "PNG in several passes, coarse at first, unless the URL overrides it."
    )
    static let pngQuantize = ServeSetting(
        "png-quantize",
        .flag,
        "false",
        imgproxy: ["PNG_QUANTIZE"],
        "PNG reduced to a palette and dithered, unless the URL overrides it."
    )
    static let pngColors = ServeSetting(
        "png-colors",
        .count(2...256),
        "256",
        imgproxy: ["PNG_QUANTIZATION_COLORS"],
        "Maximum colours of a quantized PNG."
    )
    static let webPEffort = ServeSetting(
        "webp-effort",
        .count(0...6),
        "4",
        imgproxy: ["WEBP_EFFORT"],
        "Effort of WebP, from 0, the fastest, to 6, the smallest."
    )
    static let webPPreset = ServeSetting(
        "webp-preset",
        .choice(EncoderPreferences.WebPPreset.allCases.map(\.rawValue)),
        "default",
        imgproxy: ["WEBP_PRESET"],
        "Content that WebP is tuned for, unless the URL overrides it."
    )
    static let avifSpeed = ServeSetting(
        "avif-speed",
        .count(0...10),
        "8",
        imgproxy: ["AVIF_SPEED"],
        "Speed of AVIF, from 0, the smallest, to 10, the fastest."
    )
    static let jxlEffort = ServeSetting(
        "jxl-effort",
        .count(1...9),
        "5",
        imgproxy: ["JXL_EFFORT"],
        "Effort of JPEG XL, from 1, the fastest, to 9, the smallest."
    )
    static let preserveHDR = ServeSetting(
        "preserve-hdr",
        .flag,
        "false",
        imgproxy: ["PRESERVE_HDR"],
        "More than 8 bits kept in PNG, TIFF, AVIF, JPEG XL, unless the URL overrides it."
    )
    static let keepSmallerOriginal = ServeSetting(
        "keep-smaller-original",
        .flag,
        "false",
        "Original without metadata served if its result is larger and has equal pixels."
    )
    static let damagedImages = ServeSetting(
        "damaged-images",
        .choice(["reject", "show"]),
        "reject",
        "Damaged originals rejected with 422, or shown as far as they are readable."
    )

    static let ofEncoders = [
        jpegProgressive, pngInterlaced, pngQuantize, pngColors, webPEffort, webPPreset, avifSpeed, jxlEffort,
        preserveHDR, keepSmallerOriginal, damagedImages,
    ]
}
