import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// Encodes in the original format if browsers support it and it can hold the pixels, else in another one that
/// browsers support.
struct PreservedFormatEncoder: ImageEncoder {
    private let preservedFormats: Set<ImageFormat>
    private let encoders: [ImageFormat: any ImageEncoder]
    private let replacesOpaquePNG: Bool
    /// The format of animations in a format that is not preserved.
    private let animationFormat: ImageFormat

    /// A placeholder; the format is chosen for each image.
    var format: ImageFormat { ImageFormat(rawValue: "original") }

    /// The preserved formats, the format of other animations, and the identities of all candidate encoders.
    let cacheIdentity: String

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - defaults: The encoders, with their default qualities, and the preserved formats.
    ///   - quality: The quality of the URL.
    ///   - refused: Preserved formats that the client does not accept.
    ///   - replacesOpaquePNG: Whether a still PNG without transparent pixels becomes a JPEG.
    /// - Throws: ``RequestError`` with `invalidOption` for an invalid quality.
    init(
        _ defaults: EncodingDefaults,
        _ quality: RenderingQuality,
        refused: Set<ImageFormat> = [],
        replacesOpaquePNG: Bool = false
    ) throws(RequestError) {
        let preserved = defaults.preservedFormats.subtracting(refused)
        animationFormat = refused.contains(.webP) ? .gif : .webP
        var encoders: [ImageFormat: any ImageEncoder] = [:]
        for format in preserved.union([.jpeg, .png, animationFormat]) where defaults.supports(format) {
            encoders[format] = try defaults.encoder(for: format, quality)
        }
        (preservedFormats, self.encoders) = (preserved, encoders)
        let formats = preserved.map(\.rawValue).sorted() + [animationFormat.rawValue]
        let identities = encoders.values.map(\.cacheIdentity).sorted()
        self.replacesOpaquePNG = replacesOpaquePNG
        cacheIdentity =
            "kept3(\(formats.joined(separator: ","));\(identities.joined(separator: ";")))"
            + (replacesOpaquePNG ? "+autojpg" : "")
    }

    func format(for image: Image) -> ImageFormat {
        if replacesOpaquePNG, image.format == .png, image.animation == nil, image.isOpaque,
            encoders[.jpeg] != nil
        {
            return .jpeg
        }
        // A JPEG remains one even if padding or a canvas is translucent, as in imgproxy and thumbor: it
        // becomes white.
        if let own = image.format, preservedFormats.contains(own), encoders[own] != nil { return own }
        if image.animation != nil { return animationFormat }
        // A drawing has few colours and sharp edges.
        return image.isOpaque && image.format != .svg ? .jpeg : .png
    }

    func encode(_ image: Image) throws(EncodeError) -> Data {
        let format = format(for: image)
        guard let encoder = encoders[format] else {
            throw EncodeError(.unsupportedFormat, format: format, detail: "there is no encoder for \(format)")
        }
        return try encoder.encode(image)
    }

    static func == (left: PreservedFormatEncoder, right: PreservedFormatEncoder) -> Bool {
        left.cacheIdentity == right.cacheIdentity
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(cacheIdentity)
    }
}
