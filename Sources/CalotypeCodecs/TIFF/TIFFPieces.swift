import CalotypeCore

/// The strips or tiles of the first page, and their positions.
struct TIFFPieces {
    private let image: PixelSize
    /// The size of a piece; the last strip of a plane may be lower.
    let size: PixelSize
    let isTiled: Bool
    private let planeCount: Int
    private let tags: TIFFTags

    /// Reads the dimensions of the pieces.
    ///
    /// - Throws: `DecodeError` if they are invalid.
    init(_ tags: TIFFTags, image: PixelSize) throws(DecodeError) {
        self.tags = tags
        self.image = image
        isTiled = tags.contains(322) || tags.contains(323)
        // The library uses the positions of strips or tiles, whichever comes last.
        guard !tags.contains(isTiled ? 273 : 324) else { throw .corruptTIFF("both strips and tiles") }
        planeCount = try tags.integer(284) == 2 ? tags.integer(277) ?? 1 : 1
        if isTiled {
            let (width, height) = (try tags.integer(322) ?? 0, try tags.integer(323) ?? 0)
            size = PixelSize(width: min(width, Int(Int32.max)), height: min(height, Int(Int32.max)))
        } else {
            size = PixelSize(width: image.width, height: min(image.height, try tags.integer(278) ?? .max))
        }
        guard !size.isEmpty || image.isEmpty else { throw .corruptTIFF("pieces of \(size) pixels") }
    }

    private var across: Int { (image.width + size.width - 1) / size.width }
    private var countOfPlane: Int { across * ((image.height + size.height - 1) / size.height) }

    var count: Int {
        let (count, overflow) = countOfPlane.multipliedReportingOverflow(by: planeCount)
        return overflow ? .max : count
    }

    /// The size of all pieces of a plane together; tiles may extend beyond the image.
    var extent: (width: Int, height: Int) {
        guard isTiled else { return (image.width, image.height) }
        return (across * size.width, countOfPlane / across * size.height)
    }

    func size(at index: Int) -> PixelSize {
        guard !isTiled else { return size }
        let top = index % countOfPlane * size.height
        return PixelSize(width: size.width, height: min(size.height, image.height - top))
    }

    func isLast(_ index: Int) -> Bool { (index + 1) % countOfPlane == 0 }

    /// Returns the range of a piece; `nil` if the tags do not state it.
    func bytes(at index: Int) throws(DecodeError) -> Range<Int>? {
        guard let place = try tags.integer(isTiled ? 324 : 273, at: index),
            var byteCount = try tags.integer(isTiled ? 325 : 279, at: index)
        else { return nil }
        // Some writers of one strip omit its size, and libtiff then uses the rest of the file.
        if byteCount == 0, count == 1, !isTiled { byteCount = max(0, tags.fileByteCount - place) }
        return place..<place + byteCount
    }
}
