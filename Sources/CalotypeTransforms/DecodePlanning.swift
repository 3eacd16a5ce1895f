package import CalotypeCodecs
package import CalotypeCore

/// Which size to decode for a chain of transforms, so that no more pixels are decoded than it needs.
package struct DecodeTargetPlan: Sendable {
    /// How large to decode.
    package let target: DecodeOptions.Target

    /// The size of the source as shown.
    private let size: PixelSize
    private let chain: TransformChain
    private let geometry: DecodeGeometry?

    fileprivate init(_ chain: TransformChain, size: PixelSize, isDrawn: Bool) throws {
        let chain = try chain.resolvingFirst(for: size, isDrawn: isDrawn)
        self.size = size
        self.chain = chain
        geometry = DecodeGeometry(chain)
        target = try geometry?.target(for: size, isDrawn: isDrawn) ?? .full
    }

    /// The transforms for the image as it has been decoded.
    ///
    /// They give an image of the same size as the chain gives for the whole source.
    ///
    /// - Parameter decodedSize: The size that the image has, which need not be that of the target.
    /// - Returns: The chain, with its crops scaled, or as it was where the image is whole.
    /// - Throws: ``TransformError``; nothing that the plan has not thrown.
    package func transforms(forDecoded decodedSize: PixelSize) throws(TransformError) -> TransformChain {
        guard let geometry, decodedSize != size else { return chain }
        let leading = try geometry.steps(from: size, to: decodedSize)
        return TransformChain(steps: leading + chain.steps.dropFirst(geometry.stepCount))
    }
}

extension TransformChain {
    /// The leading steps on which the size to decode depends: crops, flips and quarter turns, and the resize
    /// that follows them, or a first step that the size decides; empty where the source is to be decoded
    /// whole in any case.
    ///
    /// Chains for which these are equal want the same decode of a source.
    package var decodeGeometry: TransformChain {
        if let first = steps.first as? any SizedTransform { return TransformChain(steps: [first]) }
        return leadingGeometry
    }

    /// The first steps alone, and those behind them: what the second gives of what the first gives of an
    /// image is what the whole gives, where the first has all of ``decodeGeometry``.
    package func split(after count: Int) -> (first: TransformChain, rest: TransformChain) {
        let first = TransformChain(steps: Array(steps.prefix(count)))
        let rest = TransformChain(steps: Array(steps.dropFirst(count)))
        return sparesAnimations ? (first.exceptAnimations, rest.exceptAnimations) : (first, rest)
    }

    private var leadingGeometry: TransformChain {
        TransformChain(steps: Array(steps.prefix(DecodeGeometry(self)?.stepCount ?? 0)))
    }

    /// Which size to decode for this chain.
    ///
    /// - Parameters:
    ///   - size: The size of the source as shown: turned upright.
    ///   - isDrawn: Whether the source has no pixels, so that larger than itself is as good.
    /// - Returns: The plan.
    /// - Throws: What ``validate()`` throws; ``TransformError`` where the leading crops would leave nothing,
    ///   or the resize would exceed its limit.
    package func decodePlan(for size: PixelSize, isDrawn: Bool = false) throws -> DecodeTargetPlan {
        try validate()
        return try DecodeTargetPlan(self, size: size, isDrawn: isDrawn)
    }
}

/// A resize, and what comes before it and can as well be done on a smaller decode.
private struct DecodeGeometry {
    /// The least part of the source's sides from which on it is decoded whole: less would save little.
    private static let wholeFrom = 0.8

    private let steps: [any ScalableTransform]
    private let resize: Resize

    /// `nil` where the chain does not begin with steps that can be scaled and a resize that mixes as a decode
    /// does.
    init?(_ chain: TransformChain) {
        let leading = chain.steps.prefix { $0 is any ScalableTransform }
        guard leading.count < chain.steps.count, let resize = chain.steps[leading.count] as? Resize,
            resize.kernel == .lanczos3, !resize.inLinearLight
        else { return nil }
        steps = leading.compactMap { $0 as? any ScalableTransform }
        self.resize = resize
    }

    /// How many steps of the chain it is.
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
            ? resize.goal.decodeTarget : coveringTarget(for: size, left, result, wholeFrom: Self.wholeFrom)
        return target.resultSize(for: size) == size ? .full : target
    }

    /// What is drawn is as large as the result, which may be larger than the source, where its proportions
    /// are the same.
    private func drawnTarget(for size: PixelSize, _ result: PixelSize) -> DecodeOptions.Target {
        guard result != size else { return .full }
        let covering = DecodeOptions.Target.fill(PixelBox(result))
        let targets = [resize.goal.decodeTarget, .fit(PixelBox(result)), covering]
        return targets.first { $0.drawnSize(for: size) == result } ?? covering
    }

    /// A size at which what is left of the source is at least twice as large as the result: edges of crops
    /// then lie within a quarter of a pixel of the result.
    private func coveringTarget(
        for size: PixelSize,
        _ left: PixelSize,
        _ result: PixelSize,
        wholeFrom: Double?
    ) -> DecodeOptions.Target {
        // Each step rounds to whole pixels, by which it may leave one less.
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

    /// The steps for the source at another size.
    func steps(from size: PixelSize, to newSize: PixelSize) throws(TransformError) -> [any ImageTransform] {
        var (size, newSize) = (size, newSize)
        var scaled: [any ImageTransform] = []
        for step in steps {
            let newStep = try step.scaled(from: size, to: newSize)
            (size, newSize) = (try step.resultSize(of: size), try newStep.resultSize(of: newSize))
            scaled.append(newStep)
        }
        let exactly = Resize.Goal.stretch(try resize.resultSize(of: size))
        return scaled + [Resize(goal: exactly, kernel: resize.kernel, inLinearLight: false)]
    }
}
