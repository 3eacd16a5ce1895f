import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// Encodes in the format that a picture came in, where browsers show that and it can hold the pixels, else in
/// one that they show.
struct KeptFormatEncoder: ImageEncoder {
    private let keptFormats: Set<ImageFormat>
    private let encoders: [ImageFormat: any ImageEncoder]

    /// Decided for each image.
    var format: ImageFormat { ImageFormat(rawValue: "original") }

    /// The identities of all encoders that it may choose from.
    let cacheIdentity: String

    /// Creates an encoder.
    ///
    /// - Throws: ``RequestError`` with `invalidOption` where the quality is none.
    init(_ defaults: EncodingDefaults, _ quality: RenderingQuality) throws(RequestError) {
        var encoders: [ImageFormat: any ImageEncoder] = [:]
        for format in defaults.keptFormats.union([.jpeg, .png, .webP])
        where defaults.makes(format) {
            encoders[format] = try defaults.encoder(for: format, quality)
        }
        (keptFormats, self.encoders) = (defaults.keptFormats, encoders)
        let identities = encoders.values.map(\.cacheIdentity).sorted()
        cacheIdentity = "kept2(\(identities.joined(separator: ";")))"
    }

    /// The format for an image.
    func format(for image: Image) -> ImageFormat {
        // A JPEG stays one also where padding or a canvas is translucent, as for imgproxy and thumbor: white
        // shows there.
        if let own = image.format, keptFormats.contains(own), encoders[own] != nil { return own }
        if image.animation != nil { return .webP }
        // A drawing has few colours, and edges.
        return image.isOpaque && image.format != .svg ? .jpeg : .png
    }

    func encode(_ image: Image) throws(EncodeError) -> Data {
        let format = format(for: image)
        guard let encoder = encoders[format] else {
            throw EncodeError(.unsupportedFormat, format: format, detail: "no encoder makes \(format)")
        }
        return try encoder.encode(image)
    }

    static func == (left: KeptFormatEncoder, right: KeptFormatEncoder) -> Bool {
        left.cacheIdentity == right.cacheIdentity
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(cacheIdentity)
    }
}
