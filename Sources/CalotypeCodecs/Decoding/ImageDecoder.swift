public import CalotypeCore
public import FoundationEssentials

/// Decodes the bytes of one or more formats to images.
///
/// Calls block while they work: call them on a thread that may block. Each reads the header first, checks the
/// limits, and only then allocates. Damaged input results in an error, never in partial pixels.
public protocol ImageDecoder: Sendable {
    /// The formats of the decoder; read once, at registration.
    var formats: [ImageFormat] { get }

    /// Whether the limits bound the time and memory of a decode for any bytes; true by default.
    ///
    /// A decoder that is not bounded is excluded from ``CodecRegistry/publicWeb``.
    var isBounded: Bool { get }

    /// Recognizes an image of a format that `ImageFormat.init(sniffing:)` does not recognize.
    ///
    /// A decoder for sniffed formats need not implement this.
    func recognizes(_ data: Data) -> ImageFormat?

    /// Reads the header.
    ///
    /// - Throws: `DecodeError` if the header is damaged or the file exceeds the limits.
    func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo

    /// Decodes the image; for an animated one the first frame, with the other frames decoded on demand,
    /// unless the options request only the first.
    ///
    /// - Throws: `DecodeError`, without pixels.
    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image

    /// Makes a decoder for bytes that are still arriving; `nil` if the format does not support it.
    ///
    /// - Parameters:
    ///   - format: One of ``formats``.
    ///   - options: The options of the decode.
    /// - Returns: A decoder before the first byte.
    func makeIncrementalDecoder(for format: ImageFormat, options: DecodeOptions) -> (any IncrementalDecoder)?

    /// Decodes the small preview image in a file; `nil` if the file has none, or it has not arrived.
    ///
    /// The preview is turned like the image, and no larger than the target; borders beside the picture are
    /// cut off.
    ///
    /// - Parameters:
    ///   - head: The available bytes from the beginning of the file.
    ///   - options: The options of the decode.
    /// - Returns: The preview image.
    /// - Throws: `DecodeError` if the preview is damaged or exceeds the limits.
    func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image?
}

extension ImageDecoder {
    /// True.
    public var isBounded: Bool { true }

    /// Returns `nil`: the sniffed format decides.
    public func recognizes(_ data: Data) -> ImageFormat? { nil }

    /// Returns `nil`: the format is decoded only when all bytes have arrived.
    public func makeIncrementalDecoder(
        for format: ImageFormat,
        options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        nil
    }

    /// Returns `nil`.
    public func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image? { nil }
}
