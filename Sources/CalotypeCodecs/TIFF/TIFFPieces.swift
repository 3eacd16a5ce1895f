import CalotypeCore

/// How the first page is cut into strips or tiles, and where they lie.
struct TIFFPieces {
    /// Width and height of the image.
    private let image: PixelSize
    /// Width and height of a piece; the last strip of a plane is lower.
    let size: PixelSize
    let isTiled: Bool
    private let planeCount: Int
    private let tags: TIFFTags

    /// Reads how the image is cut.
    ///
    /// - Throws: `DecodeError` where that makes no sense.
    init(_ tags: TIFFTags, image: PixelSize) throws(DecodeError) {
        self.tags = tags
        self.image = image
        isTiled = tags.contains(322) || tags.contains(323)
        // The library takes the places of either, whichever comes last.
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

    /// How many there are.
    var count: Int {
        let (count, overflow) = countOfPlane.multipliedReportingOverflow(by: planeCount)
        return overflow ? .max : count
    }

    /// Width and height of all pieces of a plane together: beyond the image's where tiles stand over.
    var extent: (width: Int, height: Int) {
        guard isTiled else { return (image.width, image.height) }
        return (across * size.width, countOfPlane / across * size.height)
    }

    /// The size of a piece.
    func size(at index: Int) -> PixelSize {
        guard !isTiled else { return size }
        let top = index % countOfPlane * size.height
        return PixelSize(width: size.width, height: min(size.height, image.height - top))
    }

    /// Whether a piece ends its plane.
    func isLast(_ index: Int) -> Bool { (index + 1) % countOfPlane == 0 }

    /// The bytes of a piece; `nil` where the tags do not tell.
    func bytes(at index: Int) throws(DecodeError) -> Range<Int>? {
        guard let place = try tags.integer(isTiled ? 324 : 273, at: index),
            var byteCount = try tags.integer(isTiled ? 325 : 279, at: index)
        else { return nil }
        // Some writers of one strip leave it to the reader, and libtiff takes what follows.
        if byteCount == 0, count == 1, !isTiled { byteCount = max(0, tags.fileByteCount - place) }
        return place..<place + byteCount
    }
}
