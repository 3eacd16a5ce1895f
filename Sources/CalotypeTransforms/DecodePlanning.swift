package import CalotypeCodecs
package import CalotypeCore

/// The smallest decode size that a chain of transforms needs.
package struct DecodeTargetPlan: Sendable {
    package let target: DecodeOptions.Target

    /// The values that the resize mixes, if it determines them.
    package let light: ResamplingLight

    private let size: PixelSize
    let chain: TransformChain
    private let geometry: DecodeGeometry?

    fileprivate init(_ chain: TransformChain, size: PixelSize, isDrawn: Bool) throws {
        let chain = try chain.resolvingFirst(for: size, isDrawn: isDrawn)
        self.size = size
        self.chain = chain
        geometry = DecodeGeometry(chain)
        target = try geometry?.target(for: size, isDrawn: isDrawn) ?? .full
        light = geometry?.resize.light ?? .automatic
    }

    /// Returns decode options with the target, and with the values that the resize mixes.
    package func options(_ options: DecodeOptions) -> DecodeOptions {
        var options = options
        options.target = target
        if light != .automatic, target != .full { options.light = light }
        return options
    }

    /// Returns the transforms for the decoded image.
    ///
    /// The result has the same size as the result of the chain for the whole source.
    ///
    /// - Parameter decodedSize: The size of the decoded image, which may differ from the target.
    /// - Returns: The chain with scaled crops, or the original chain for an image of full size.
    /// - Throws: ``TransformError``; never, if the plan could be made.
    package func transforms(forDecoded decodedSize: PixelSize) throws(TransformError) -> TransformChain {
        guard let geometry, decodedSize != size else { return chain }
        let leading = try geometry.steps(from: size, to: decodedSize)
        return TransformChain(steps: leading + chain.steps.dropFirst(geometry.stepCount))
    }
}

extension TransformChain {
    /// The leading steps that determine the decode size; empty if the source has to be decoded in full.
    ///
    /// They are crops, flips and quarter turns with the following resize, or a first step that depends on the
    /// size. Chains with equal steps here need the same decode of a source.
    package var decodeGeometry: TransformChain {
        if let first = steps.first as? any SizedTransform { return TransformChain(steps: [first]) }
        return leadingGeometry
    }

    /// Splits the chain after a number of steps; applying both parts in order equals applying the whole, if
    /// the first part includes ``decodeGeometry``.
    package func split(after count: Int) -> (first: TransformChain, rest: TransformChain) {
        let first = TransformChain(steps: Array(steps.prefix(count)))
        let rest = TransformChain(steps: Array(steps.dropFirst(count)))
        return skipsAnimations ? (first.exceptAnimations, rest.exceptAnimations) : (first, rest)
    }

    private var leadingGeometry: TransformChain {
        TransformChain(steps: Array(steps.prefix(DecodeGeometry(self)?.stepCount ?? 0)))
    }

    /// Plans the decode for this chain.
    ///
    /// - Parameters:
    ///   - size: The size of the source as shown: turned upright.
    ///   - isDrawn: True for a vector source, which can be rendered larger than its own size.
    /// - Returns: The plan.
    /// - Throws: The errors of ``validate()``; ``TransformError`` if the leading crops leave no pixel, or the
    ///   resize exceeds its limit.
    package func decodePlan(for size: PixelSize, isDrawn: Bool = false) throws -> DecodeTargetPlan {
        try validate()
        return try DecodeTargetPlan(self, size: size, isDrawn: isDrawn)
    }
}

/// A resize, and the preceding steps that can be applied to a smaller decode as well.
private struct DecodeGeometry {
    /// The fraction of the source's sides from which it is decoded in full: a smaller decode would save
    /// little.
    private static let wholeFrom = 0.8

    private let steps: [any ScalableTransform]
    let resize: Resize

    /// `nil` unless the chain starts with scalable steps and a resize that interpolates like a decode.
    init?(_ chain: TransformChain) {
        let leading = chain.steps.prefix { $0 is any ScalableTransform }
        guard leading.count < chain.steps.count, let resize = chain.steps[leading.count] as? Resize,
            resize.kernel == .lanczos3
        else { return nil }
        steps = leading.compactMap { $0 as? any ScalableTransform }
        self.resize = resize
    }

    var stepCount: Int { steps.count + 1 }

    func target(for size: PixelSize, isDrawn: Bool) throws(TransformError) -> DecodeOptions.Target {
        var left = size
        for step in steps { left = try step.resultSize(of: left) }
        let result = try resize.resultSize(of: left)
        guard !isDrawn || steps.isEmpty else {
            return coveringTarget(for: size, left, result, wholeFrom: nil)
        }
        if isDrawn { return drawnTarget(for: size, result) }
        let target =
            steps.isEmpty
            ? ownTarget(for: size, result)
            : coveringTarget(for: size, left, result, wholeFrom: Self.wholeFrom)
        return target.resultSize(for: size) == size ? .full : target
    }

    /// Returns the target of a resize without steps before it.
    ///
    /// A stretch that only rounds the proportions of the source is a fit: a decode that covers both sides may
    /// exceed one by a pixel, and would be resampled twice.
    private func ownTarget(for size: PixelSize, _ result: PixelSize) -> DecodeOptions.Target {
        guard case .stretch = resize.goal else { return resize.goal.decodeTarget }
        let fit = DecodeOptions.Target.fit(PixelBox(result))
        return fit.resultSize(for: size) == result ? fit : resize.goal.decodeTarget
    }

    /// Returns the target for a vector source: the size of the result, which may exceed the source if the
    /// proportions are equal.
    private func drawnTarget(for size: PixelSize, _ result: PixelSize) -> DecodeOptions.Target {
        guard result != size else { return .full }
        let covering = DecodeOptions.Target.fill(PixelBox(result))
        let targets = [resize.goal.decodeTarget, .fit(PixelBox(result)), covering]
        return targets.first { $0.drawnSize(for: size) == result } ?? covering
    }

    /// Returns a target at which the remaining part of the source is at least twice as large as the result,
    /// so that the edges of crops are accurate to a quarter of a pixel of the result.
    private func coveringTarget(
        for size: PixelSize,
        _ left: PixelSize,
        _ result: PixelSize,
        wholeFrom: Double?
    ) -> DecodeOptions.Target {
        // Each step rounds to whole pixels and may lose one.
        let (width, height) = (2 * result.width + steps.count, 2 * result.height + steps.count)
        let part = max(Double(width) / Double(left.width), Double(height) / Double(left.height))
        if let wholeFrom, part >= wholeFrom { return .full }
        return .fill(
            PixelBox(
                width: Int((Double(size.width) * part).rounded(.up)),
                height: Int((Double(size.height) * part).rounded(.up))
            )
        )
    }

    func steps(from size: PixelSize, to newSize: PixelSize) throws(TransformError) -> [any ImageTransform] {
        var (size, newSize) = (size, newSize)
        var scaled: [any ImageTransform] = []
        for step in steps {
            let newStep = try step.scaled(from: size, to: newSize)
            (size, newSize) = (try step.resultSize(of: size), try newStep.resultSize(of: newSize))
            scaled.append(newStep)
        }
        let exactly = Resize.Goal.stretch(try resize.resultSize(of: size))
        return scaled + [Resize(goal: exactly, kernel: resize.kernel, light: resize.light)]
    }
}
