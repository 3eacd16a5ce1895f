internal import CalotypeCodecs
internal import CalotypeCore
internal import FoundationEssentials

/// Encodes in the original format of an image, or in one that can hold the image.
struct OriginalFormatEncoder: ImageEncoder {
    let codecs: CodecRegistry

    /// A placeholder; the format is chosen for each image.
    var format: ImageFormat { ImageFormat(rawValue: "original") }

    /// The number increases when the settings of the standard encoders change.
    var cacheIdentity: String { "original1" }

    func encode(_ image: Image) throws(EncodeError) -> Data { try codecs.encode(image) }

    static func == (left: Self, right: Self) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
