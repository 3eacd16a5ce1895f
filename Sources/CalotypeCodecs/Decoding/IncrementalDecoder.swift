public import CalotypeCore
public import FoundationEssentials

/// Decodes an image while its bytes arrive.
///
/// Calls block while they work; one caller at a time. All appends of a file together cost at most twice an
/// ordinary decode. A preview costs the computation of its pixels, so it is *pulled* only when it is
/// displayed.
public protocol IncrementalDecoder: AnyObject {
    /// Appends the next bytes, in any number.
    ///
    /// - Throws: `DecodeError` if the image is damaged or exceeds the limits; further bytes do not help then.
    func append(_ chunk: Data) throws(DecodeError)

    /// Returns the visible part of the image; `nil` if it is empty or unchanged since the last preview.
    ///
    /// - Throws: `DecodeError`.
    func preview() throws(DecodeError) -> ImagePreview?

    /// Returns the whole image once all bytes have been appended: equal to an ordinary decode.
    ///
    /// Call it once, last.
    ///
    /// - Throws: `DecodeError`, with `truncated` if bytes are missing.
    func finish() throws(DecodeError) -> Image
}

/// The visible part of an image before all of its bytes have arrived; never cached, never used as the whole.
public struct ImagePreview: Sendable {
    /// The pixels, in the size of the whole image; rows that have not arrived are zero: black, or transparent
    /// with alpha.
    public let image: Image

    /// The number of rows from the top that have arrived, in any quality: all of them for a scan or pass that
    /// covers the image coarsely.
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
