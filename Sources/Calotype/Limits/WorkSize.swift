internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeTransforms

/// The estimated size of a decode and its transforms, derived from a header.
struct WorkSize: Sendable {
    /// The approximate maximum of bytes held.
    let byteCount: Int
    /// True if a step may take longer than a few tenths of a second.
    let isLarge: Bool

    init(byteCount: Int, isLarge: Bool) {
        (self.byteCount, self.isLarge) = (byteCount, isLarge)
    }

    /// The size of transforming an image: the image, and two of the largest size along the plan.
    init(_ plan: SizePlan, of image: Image) {
        let perPixel = max(4, image.pixelFormat.bytesPerPixel)
        byteCount = image.pixels.byteCount + 2 * perPixel * plan.maxPixelCount
        isLarge = Double(plan.maxPixelCount) > Self.largeCost
    }

    /// The host of large work in gates, which limit it.
    ///
    /// A permit counts in the limits of all work and of large work at once, so that no work holds one while
    /// it waits for the other.
    static let largeHost = "large"

    /// Returns the host of work in gates.
    static func host(isLarge: Bool) -> String { isLarge ? largeHost : "" }

    /// The number of JPEG pixels that take a few tenths of a second.
    fileprivate static let largeCost = 24e6
}

extension Image {
    /// True if its encode may take longer than a few tenths of a second.
    var isLarge: Bool {
        Double(size.pixelCount) * Double(animation?.frameCount ?? 1) > WorkSize.largeCost
    }
}

extension DecodeRecipe {
    /// The decode time per pixel relative to JPEG; 2 for formats not listed.
    private static let pixelTimes: [ImageFormat: Double] = [.jpeg: 1, .avif: 4, .heic: 4, .jpegXL: 4]

    /// Returns the estimated size of a decode by this recipe, and of the transforms after it.
    ///
    /// Drawings and JPEG XL count as large, because their headers do not reveal the decode time. The bytes
    /// are what the codec holds of the whole image, the decoded image, and two images of the largest size
    /// along the transforms.
    ///
    /// - Parameters:
    ///   - info: The header.
    ///   - transforms: The transforms.
    ///   - ownByteCountPerPixel: The bytes that the codec holds of each pixel, beside those of its format.
    /// - Returns: The size.
    func workSize(
        for info: ImageInfo,
        applying transforms: TransformChain = [],
        ownByteCountPerPixel: Double = 0
    ) -> WorkSize {
        let result = decodedSize(of: info.size, info)
        let largest = max(result.pixelCount, maxPixelCount(of: transforms, for: info))
        let frameCount = options.frames == .first ? 1 : Double(max(1, info.frameCount))
        let isStack = isStack(info)
        let decodeCost = Double(info.size.pixelCount) * (Self.pixelTimes[info.format] ?? 2)
        let cost = max(decodeCost * decodeShare(of: info), Double(largest) * frameCount)
        let full = info.format == .svg ? result.pixelCount : info.size.pixelCount
        // Decoders that scale stop at up to twice the requested side.
        let decoded =
            switch info.format {
            case .jpeg: min(Double(full), 4 * Double(result.pixelCount))
            case .webP where !isStack: Double(result.pixelCount)
            default: Double(full)
            }
        let (shallow, usual) = Self.byteCountsPerPixel[info.format] ?? (4, 4)
        let own = usual + ownByteCountPerPixel
        let perPixel = options.keepsDepth && info.bitDepth > 8 ? 8.0 : shallow
        // Transforms that enlarge may add alpha.
        let perLargePixel = largest > result.pixelCount ? max(4, perPixel) : perPixel
        // In floating point, because a side may be as large as an integer can be.
        var byteCount = Double(full) * own + decoded * perPixel + 2 * Double(largest) * perLargePixel
        // The pages beside their stack.
        if isStack { byteCount += 4 * Double(full) }
        if frameCount > 1 {
            let frames = 4 * frameCount * Double(result.pixelCount)
            byteCount += min(frames, Double(Image.encodedFramesByteCount))
        }
        return WorkSize(
            byteCount: Int(min(byteCount, 1e18)),
            isLarge: info.format == .svg || info.format == .jpegXL || cost > WorkSize.largeCost
        )
    }

    /// True if the header is that of several pages or frames, which are decoded whole and then stacked.
    private func isStack(_ info: ImageInfo) -> Bool {
        guard let pages = options.pages, pages.count > 1 else { return false }
        return [.tiff, .ico].contains(info.format) || options.frames == .first && info.frameCount > 1
    }

    /// Returns the decoded pixels as a multiple of those of the header: all frames, or those up to the last
    /// selected one.
    private func decodeShare(of info: ImageInfo) -> Double {
        let frameCount = max(1, info.frameCount)
        guard options.frames == .first else { return Double(frameCount) }
        guard let pages = options.pages else { return 1 }
        let indices = pages.indices(of: frameCount)
        return Double(indices.upperBound) / Double(indices.count)
    }

    /// Returns the size that an image of `size` pixels is decoded to.
    private func decodedSize(of size: PixelSize, _ info: ImageInfo) -> PixelSize {
        let target = (geometry.isEmpty ? nil : decodeTarget(for: info)) ?? options.target
        let frameCount = options.frames == .first ? 1 : info.frameCount
        return info.format == .svg
            ? target.drawnSize(for: size) : target.resultSize(for: size, frameCount: frameCount)
    }

    /// Returns the pixels of the largest image along the transforms of the decoded image.
    private func maxPixelCount(of transforms: TransformChain, for info: ImageInfo) -> Int {
        let isAnimation = options.frames == .all && info.frameCount > 1
        guard !transforms.isEmpty, !(isAnimation && transforms.skipsAnimations) else { return 0 }
        let (shown, isDrawn) = (shownSize(info), info.format == .svg)
        let decoded = decodedSize(of: shown, info)
        do {
            let chain =
                geometry.isEmpty
                ? transforms
                : try transforms.decodePlan(for: shown, isDrawn: isDrawn).transforms(forDecoded: decoded)
            return chain.sizePlan(from: decoded, isDrawn: isDrawn).maxPixelCount
        } catch {
            // The error is reported when the transforms are applied.
            return 0
        }
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
