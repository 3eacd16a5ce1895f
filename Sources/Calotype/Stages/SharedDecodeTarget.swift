internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeTransforms

/// The size at which one decode serves several chains of transforms.
///
/// The largest size that a chain would decode by itself is used only if each other chain would decode at the
/// same size, or at no more than half of it: a second resampling from at least twice the size is not visible.
/// Otherwise the image is decoded at twice the largest size, or whole if that would save little.
struct SharedDecodeTarget {
    /// The smallest fraction of a side from which the image is decoded whole.
    private static let wholeFrom = 0.8

    let target: DecodeOptions.Target

    init(_ chains: [TransformChain], of info: ImageInfo, as options: DecodeOptions) throws {
        guard options.target == .full else {
            target = options.target
            return
        }
        let isDrawn = info.format == .svg
        let size = options.appliesOrientation ? info.displaySize : info.size
        let isAnimated = info.frameCount > 1 && options.frames == .all
        let targets = try chains.map { chain in
            guard !(isAnimated && chain.skipsAnimations) else { return DecodeOptions.Target.full }
            return try chain.decodeGeometry.decodePlan(for: size, isDrawn: isDrawn).target
        }
        target = Self.shared(targets, of: size, isDrawn: isDrawn)
    }

    private static func shared(
        _ targets: [DecodeOptions.Target],
        of size: PixelSize,
        isDrawn: Bool
    ) -> DecodeOptions.Target {
        guard let first = targets.first else { return .full }
        guard targets.contains(where: { $0 != first }) else { return first }
        // A chain that needs the whole image gets the same pixels as it would alone.
        guard !targets.contains(.full) else { return .full }
        let sizes = targets.map { isDrawn ? $0.drawnSize(for: size) : $0.resultSize(for: size) }
        guard let largest = sizes.max(by: { $0.pixelCount < $1.pixelCount }),
            let index = sizes.firstIndex(of: largest)
        else { return .full }
        let isEnough = sizes.allSatisfy {
            $0 == largest || 2 * $0.width <= largest.width && 2 * $0.height <= largest.height
        }
        if isEnough || isDrawn { return targets[index] }
        let part = 2 * Double(largest.width) / Double(size.width)
        guard part < wholeFrom else { return .full }
        return .fill(PixelBox(width: 2 * largest.width, height: 2 * largest.height))
    }
}
