public import CalotypeCore
public import FoundationEssentials

/// Decodes an image while its bytes arrive.
///
/// Calls block while they work; one caller at a time. All appends of a file together cost at most twice an
/// ordinary decode; a preview costs what it takes to make its pixels, so it is *pulled* when somebody wants
/// to show it.
public protocol IncrementalDecoder: AnyObject {
    /// Takes the next bytes, however few.
    ///
    /// - Throws: `DecodeError` where the image is damaged or beyond the limits; more bytes do not help
    ///   then.
    func append(_ chunk: Data) throws(DecodeError)

    /// What can be shown of the image now; `nil` where there is nothing to show yet, or nothing new since
    /// the last preview.
    ///
    /// - Throws: `DecodeError`.
    func preview() throws(DecodeError) -> ImagePreview?

    /// The whole image, once all bytes have been appended: equal to what an ordinary decode gives.
    ///
    /// To be called once, last.
    ///
    /// - Throws: `DecodeError`, with `truncated` where bytes are missing.
    func finish() throws(DecodeError) -> Image
}

/// What can be shown of an image before all of its bytes are there; never cached, never taken for the whole.
public struct ImagePreview: Sendable {
    /// The pixels, in the size that the whole image will have; rows that have not come are zero: black, or
    /// transparent where there is alpha.
    public let image: Image

    /// How many rows of the image have come, from the top, in whatever quality: all of them for a scan or
    /// pass that covers the picture coarsely.
    public let rowCount: Int

    /// Creates a preview.
    ///
    /// - Precondition: `rowCount` is in `0...image.size.height`.
    public init(image: Image, rowCount: Int) {
        precondition((0...image.size.height).contains(rowCount), "an image has no row \(rowCount)")
        self.image = image
        self.rowCount = rowCount
    }
}
