public import CalotypeCore

/// Transforms in the order in which they are applied; itself a transform.
///
/// `[.resize(toFit: PixelSize(width: 400, height: 300)), .roundCorners(radius: 20)]`, or one of them alone.
/// The elements of a literal are chains themselves, so that a chain can be part of another.
public struct TransformChain: ImageTransform {
    /// The transforms, the first to be applied first; none of them is a chain.
    public let steps: [any ImageTransform]

    /// Creates a chain of one transform; a chain stays what it is.
    public init(_ transform: some ImageTransform) {
        steps = (transform as? TransformChain)?.steps ?? [transform]
    }

    /// Creates a chain of transforms; the steps of chains become steps of it.
    public init(steps: [any ImageTransform] = []) {
        self.steps = steps.flatMap { ($0 as? TransformChain)?.steps ?? [$0] }
    }

    /// Whether there is nothing to apply.
    public var isEmpty: Bool { steps.isEmpty }

    /// This chain with another behind it.
    public func appending(_ next: TransformChain) -> TransformChain {
        TransformChain(steps: steps + next.steps)
    }
}

extension TransformChain: ExpressibleByArrayLiteral {
    /// Creates a chain of the steps of chains.
    public init(arrayLiteral chains: TransformChain...) {
        self.init(steps: chains.flatMap(\.steps))
    }
}

extension TransformChain {
    /// The identities of the steps with `|` between them; empty for an empty chain.
    ///
    /// A `|` or `\` within an identity has a `\` before it, so that two chains never look alike.
    public var cacheIdentity: String {
        steps.map { step in
            String(step.cacheIdentity.flatMap { $0 == "|" || $0 == "\\" ? ["\\", $0] : [$0] })
        }.joined(separator: "|")
    }

    /// Whether every step is applied to each frame.
    public var appliesPerFrame: Bool { steps.allSatisfy(\.appliesPerFrame) }

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
    /// - Returns: The result; `image` itself for an empty chain.
    /// - Throws: What ``validate()`` throws, before any work is done; else what a step throws.
    public func apply(to image: Image) throws -> Image {
        guard !isEmpty else { return image }
        try validate()
        var resolved: [any ImageTransform] = []
        var result = image.firstFrame
        var pending = steps[...]
        while let next = pending.popFirst() {
            if let sized = next as? any SizedTransform {
                pending = try sized.chain(for: result.size).steps + pending
                continue
            }
            let step = try (next as? any FrameDependentTransform)?.resolved(for: result) ?? next
            resolved.append(step)
            result = try step.apply(to: result)
        }
        guard let animation = image.animation, appliesPerFrame else { return result.firstFrame }
        return result.replacing(
            animation: animation.mapping(firstFrame: result) { [resolved] frame in
                try resolved.reduce(frame.firstFrame) { try $1.apply(to: $0) }
            }
        )
    }
}

extension TransformChain {
    /// Whether both have equal steps in the same order.
    public static func == (left: TransformChain, right: TransformChain) -> Bool {
        left.steps.map { AnyHashable($0) } == right.steps.map { AnyHashable($0) }
    }

    /// Feeds the steps.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(steps.map { AnyHashable($0) })
    }
}
