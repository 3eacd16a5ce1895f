/// The pages of a TIFF, the images of an icon, or the frames of an animation of which a decode returns one
/// picture.
///
/// Several pages are stacked downward, aligned at the left, with transparent pixels beside narrower ones.
public struct PageSelection: Hashable, Sendable, Codable {
    /// The maximum number of pages in one picture.
    public static let maxCount = 256

    /// The first page, from 0; beyond the end the last page is selected.
    public var first: Int

    /// The number of pages; 1 unless set, and at most those that the file has.
    public var count: Int

    /// Creates a selection; numbers outside their range are moved into it.
    ///
    /// - Parameters:
    ///   - first: The first page, from 0.
    ///   - count: The number of pages, 1 to ``maxCount``.
    public init(first: Int = 0, count: Int = 1) {
        self.first = max(0, first)
        self.count = min(max(1, count), Self.maxCount)
    }

    /// Returns the indices of the selected pages of a file.
    ///
    /// - Parameter pageCount: The number of pages, at least 1.
    /// - Returns: The indices; at least one.
    package func indices(of pageCount: Int) -> Range<Int> {
        let start = min(max(0, first), pageCount - 1)
        return start..<start + min(max(1, count), Self.maxCount, pageCount - start)
    }
}
