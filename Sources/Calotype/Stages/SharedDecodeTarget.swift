internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeTransforms

/// The size at which one decode serves several chains of transforms.
///
/// The largest size that a chain would decode by itself is used only if each other chain would decode at the
/// same size, or at no more than half of it: a second resampling from at least twice the size is not visible.
/// Otherwise the image is decoded at twice the largest size, or whole if that would save little or if the
/// chains mix different values.
struct SharedDecodeTarget {
    /// The smallest fraction of a side from which the image is decoded whole.
    private static let wholeFrom = 0.8

    let target: DecodeOptions.Target
    /// The values that a smaller decode mixes.
    let light: ResamplingLight

    init(_ chains: [TransformChain], of info: ImageInfo, as options: DecodeOptions) throws {
        guard options.target == .full else {
            (target, light) = (options.target, options.light)
            return
        }
        let isDrawn = info.format == .svg
        let size = options.appliesOrientation ? info.displaySize : info.size
        let isAnimated = info.frameCount > 1 && options.frames == .all
        let decodes = try chains.map { chain in
            var whole = options
            whole.target = .full
            guard !(isAnimated && chain.skipsAnimations) else { return whole }
            return try chain.decodeGeometry.decodePlan(for: size, isDrawn: isDrawn).options(whole)
        }
        light = decodes.first?.light ?? options.light
        let isMixed = decodes.contains { [light] in $0.light != light }
        target = isMixed ? .full : Self.shared(decodes.map(\.target), of: size, isDrawn: isDrawn)
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
