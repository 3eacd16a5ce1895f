public import CalotypeCore
public import FoundationEssentials

/// Turns the bytes of one or more formats into images.
///
/// Calls block while they work: they belong on a thread that may block. Each reads the header first, checks
/// the limits, and only then allocates. Damaged input ends in an error, never in partial pixels.
public protocol ImageDecoder: Sendable {
    /// The formats that it decodes; asked for once, when it is registered.
    var formats: [ImageFormat] { get }

    /// Whether the limits bound what a decode costs in time and memory, whatever the bytes are; true unless
    /// the decoder says otherwise.
    ///
    /// One that is not bounded is left out of ``CodecRegistry/publicWeb``.
    var isBounded: Bool { get }

    /// Whether it knows the bytes of an image of a format that `ImageFormat.init(sniffing:)` does not.
    ///
    /// A decoder of a recognised format need not implement this.
    func recognizes(_ data: Data) -> ImageFormat?

    /// Reads what the header tells.
    ///
    /// - Throws: `DecodeError` where the header is damaged or the file is beyond the limits.
    func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo

    /// Decodes the whole image; of an animated one the first frame, with the others to be decoded when they
    /// are asked for, unless the options want the first only.
    ///
    /// - Throws: `DecodeError`; then there are no pixels.
    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image

    /// A decoder for bytes that are still arriving, or `nil` where there is none for the format.
    ///
    /// - Parameters:
    ///   - format: One of ``formats``.
    ///   - options: What the decode should give.
    /// - Returns: A decoder before the first byte.
    func makeIncrementalDecoder(for format: ImageFormat, options: DecodeOptions) -> (any IncrementalDecoder)?

    /// The small picture that a file holds of its image, or `nil` where it has none, or it has not come.
    ///
    /// It is turned as the image is, and no larger than the target; what it has beside the picture is cut
    /// off.
    ///
    /// - Parameters:
    ///   - head: The bytes of the file that have come, from the first on.
    ///   - options: What the decode should give.
    /// - Returns: The small picture.
    /// - Throws: `DecodeError` where it is there and damaged, or beyond the limits.
    func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image?
}

extension ImageDecoder {
    /// True.
    public var isBounded: Bool { true }

    /// Recognises nothing: the sniffed format decides.
    public func recognizes(_ data: Data) -> ImageFormat? { nil }

    /// Decodes nothing before all bytes are there.
    public func makeIncrementalDecoder(
        for format: ImageFormat,
        options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        nil
    }

    /// None.
    public func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image? { nil }
}
