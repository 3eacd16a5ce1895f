internal import CalotypeCodecs
internal import CalotypeCore

/// The estimated size of a decode and its transforms, derived from a header.
struct WorkSize: Sendable {
    /// The approximate maximum of bytes held.
    let byteCount: Int
    /// True if the decode may take longer than a few tenths of a second.
    let isLarge: Bool
}

extension DecodeRecipe {
    /// The number of JPEG pixels that take a few tenths of a second.
    private static let largeCost = 24e6

    /// The decode time per pixel relative to JPEG; 2 for formats not listed.
    private static let pixelTimes: [ImageFormat: Double] = [.jpeg: 1, .avif: 4, .heic: 4, .jpegXL: 4]

    /// Returns the estimated size of a decode by this recipe.
    ///
    /// Drawings and JPEG XL count as large, because their headers do not reveal the decode time.
    func workSize(for info: ImageInfo) -> WorkSize {
        let frameCount = options.frames == .first ? 1 : max(1, info.frameCount)
        let pixelCount = Double(info.size.pixelCount) * Double(frameCount)
        let cost = pixelCount * (Self.pixelTimes[info.format] ?? 2)
        return WorkSize(
            byteCount: workingByteCount(for: info),
            isLarge: info.format == .svg || info.format == .jpegXL || cost > Self.largeCost
        )
    }

    /// Returns the approximate maximum of bytes held by a decode, its result and its transforms.
    ///
    /// Adds what the codec holds of the whole image, the decoded image, and two images of the result's size.
    func workingByteCount(for info: ImageInfo) -> Int {
        let planned = geometry.isEmpty ? nil : decodeTarget(for: info)
        let target = planned ?? options.target
        let frameCount = options.frames == .first ? 1 : info.frameCount
        let isDrawn = info.format == .svg
        let result =
            isDrawn
            ? target.drawnSize(for: info.size) : target.resultSize(for: info.size, frameCount: frameCount)
        let full = isDrawn ? result.pixelCount : info.size.pixelCount
        // Decoders that scale stop at up to twice the requested side.
        let decoded =
            switch info.format {
            case .jpeg: min(Double(full), 4 * Double(result.pixelCount))
            case .webP: Double(result.pixelCount)
            default: Double(full)
            }
        let (shallow, own) = Self.byteCountsPerPixel[info.format] ?? (4, 4)
        let perPixel = options.keepsDepth && info.bitDepth > 8 ? 8.0 : shallow
        // In floating point, because a side may be as large as an integer can be.
        let byteCount =
            Double(full) * own + decoded * perPixel + 2 * Double(result.pixelCount) * perPixel
        return Int(min(byteCount, 1e18))
    }

    /// For each format the bytes per pixel, and those that its library holds per pixel of the whole image.
    private static let byteCountsPerPixel: [ImageFormat: (pixel: Double, own: Double)] = [
        .jpeg: (3, 0), .png: (4, 0), .gif: (4, 1), .webP: (4, 1), .bmp: (4, 0), .ico: (4, 0),
        // Planes in the file's own colour space.
        .avif: (4, 4), .heic: (4, 4),
        // Floats.
        .jpegXL: (4, 16),
    ]
}
