public import CalotypeCore

/// Transforms in the order in which they are applied; itself a transform.
///
/// `[.resize(toFit: PixelSize(width: 400, height: 300)), .roundCorners(radius: 20)]`, or one of them alone.
/// The elements of a literal are chains themselves, so that a chain can be part of another.
public struct TransformChain: ImageTransform {
    /// The transforms, the first to be applied first; none of them is a chain.
    public let steps: [any ImageTransform]

    /// Whether an animated image is left as it is; false but for ``exceptAnimations``.
    public private(set) var sparesAnimations = false

    /// Creates a chain of one transform; a chain stays what it is.
    public init(_ transform: some ImageTransform) {
        self.init(steps: [transform])
    }

    /// Creates a chain of transforms; the steps of chains become steps of it.
    ///
    /// It spares animations where one of those chains does.
    public init(steps: [any ImageTransform] = []) {
        self.steps = steps.flatMap { ($0 as? TransformChain)?.steps ?? [$0] }
        sparesAnimations = steps.contains { ($0 as? TransformChain)?.sparesAnimations == true }
    }

    /// The same chain for stills alone: an animated image stays as it is.
    ///
    /// Without it every frame of an animation is transformed, or where a step cannot do that the first. An
    /// image of which only the first frame is decoded is a still.
    public var exceptAnimations: TransformChain {
        var chain = self
        chain.sparesAnimations = true
        return chain
    }

    /// Whether there is nothing to apply.
    public var isEmpty: Bool { steps.isEmpty }

    /// This chain with another behind it.
    public func appending(_ next: TransformChain) -> TransformChain {
        [self, next]
    }
}

extension TransformChain: ExpressibleByArrayLiteral {
    /// Creates a chain of the steps of chains.
    public init(arrayLiteral chains: TransformChain...) {
        self.init(steps: chains)
    }
}

extension TransformChain {
    /// The identities of the steps with `|` between them; empty for an empty chain.
    ///
    /// A `|` or `\` within an identity has a `\` before it, so that two chains never look alike.
    /// That of one which spares animations begins with `\stills|`, as no identity of a step can.
    public var cacheIdentity: String {
        let texts = steps.map { step in
            String(step.cacheIdentity.flatMap { $0 == "|" || $0 == "\\" ? ["\\", $0] : [$0] })
        }
        return ((sparesAnimations && !isEmpty ? ["\\stills"] : []) + texts).joined(separator: "|")
    }

    /// Whether every step is applied to each frame.
    public var appliesPerFrame: Bool { steps.allSatisfy(\.appliesPerFrame) }

    /// True: each step takes what it can.
    ///
    /// Crops, flips, turns and resizes keep more than 8 bits; before the first of the others they are
    /// rounded.
    public var keepsDepth: Bool { true }

    /// The most steps of a chain: 100.
    public static let stepCountMax = 100

    /// Checks the number of steps, and each of them.
    ///
    /// - Throws: ``TransformError`` with `limitExceeded` for more than ``stepCountMax`` steps, or what a step
    ///   throws.
    public func validate() throws {
        guard steps.count <= Self.stepCountMax else {
            throw TransformError(
                .limitExceeded,
                detail: "\(steps.count) transforms in a chain; the most are \(Self.stepCountMax)"
            )
        }
        for step in steps { try step.validate() }
    }

    /// Applies all steps.
    ///
    /// Blocks. An animated image keeps its animation where every step applies to each frame: its frames are
    /// transformed when they are asked for. What is found out by looking, such as a border to trim, is found
    /// on the first frame and applied to all.
    ///
    /// - Parameter image: The image.
    /// - Returns: The result; `image` itself for an empty chain, and where the chain spares it.
    /// - Throws: What ``validate()`` throws, before any work is done; else what a step throws.
    public func apply(to image: Image) throws -> Image { try apply(to: image, at: nil) }

    /// Applies all steps: what a library computes is done at the place, where there is one.
    ///
    /// - Throws: What ``apply(to:)`` throws.
    package func apply(to image: Image, at place: (any TransformPlace)?) throws -> Image {
        guard !isEmpty else { return image }
        try validate()
        if sparesAnimations, image.animation != nil { return image }
        let runner = StepRunner(place: place)
        let animation = appliesPerFrame ? image.animation : nil
        var resolved: [any ImageTransform] = []
        var result = image.firstFrame
        var pending = steps[...]
        while let next = pending.first {
            if let sized = next as? any SizedTransform {
                pending =
                    try sized.chain(for: result.size, isDrawn: image.format == .svg).steps
                    + pending.dropFirst()
                continue
            }
            // What is done with the first frame is done with the others; a still is done with in one go.
            let run =
                animation == nil
                ? Array(pending.prefix { !($0 is any SizedTransform) })
                : [try runner.resolved(next, for: result)]
            pending = pending.dropFirst(run.count)
            result = try runner.apply(run, to: result)
            resolved += run
        }
        guard let animation else { return result.firstFrame }
        return result.replacing(
            animation: animation.mapping(firstFrame: result) {
                [resolved, sizes = (image.size, result.size)] in
                try runner.apply(resolved, toFrame: $0.firstFrame, sizes: sizes)
            }
        )
    }
}

extension TransformChain {
    /// Whether both have equal steps in the same order, and treat animations alike.
    public static func == (left: TransformChain, right: TransformChain) -> Bool {
        left.sparesAnimations == right.sparesAnimations
            && left.steps.map { AnyHashable($0) } == right.steps.map { AnyHashable($0) }
    }

    /// Feeds the steps, and what becomes of animations.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(sparesAnimations)
        hasher.combine(steps.map { AnyHashable($0) })
    }
}
