import CalotypeCodecs
import CalotypeCore

extension VipsPicture {
    /// Repeats the image side by side, with clear pixels between; the result has alpha.
    ///
    /// - Parameters:
    ///   - image: The content of a tile.
    ///   - period: The distance of two tiles; at least the size of the image.
    ///   - room: The size to cover.
    /// - Returns: The tiles, at least as large as `room`.
    /// - Throws: The error of libvips.
    static func tiles(
        of image: Image,
        period: PixelSize,
        covering room: PixelSize
    ) throws(CodecFailure) -> VipsPicture {
        let tile = try VipsPicture(image).withAlpha().applying(
            .embed,
            [
                .integer("x", 0), .integer("y", 0),
                .integer("width", period.width), .integer("height", period.height),
            ]
        )
        let block = try Self.block(of: tile, like: image)
        return try block.repeated(
            across: (room.width + block.size.width - 1) / block.size.width,
            down: (room.height + block.size.height - 1) / block.size.height
        )
    }

    /// Joins several small tiles into one with computed pixels: libvips is slow in the number of repeated
    /// tiles.
    private static func block(of tile: VipsPicture, like image: Image) throws(CodecFailure) -> VipsPicture {
        let (side, maxPixelCount) = (256, 4 * 256 * 256)
        let across = max(1, side / tile.size.width)
        let rowPixelCount = tile.size.width * across * tile.size.height
        let down = max(1, min(side / tile.size.height, maxPixelCount / rowPixelCount))
        guard across > 1 || down > 1 else { return tile }
        return try VipsPicture(tile.repeated(across: across, down: down).image(like: image))
    }

    private func repeated(across: Int, down: Int) throws(CodecFailure) -> VipsPicture {
        try applying(.replicate, [.integer("across", across), .integer("down", down)])
    }
}
