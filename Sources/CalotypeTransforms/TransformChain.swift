public import CalotypeCore

/// Transforms in the order in which they are applied; itself a transform.
///
/// For example `[.resize(toFit: PixelSize(width: 400, height: 300)), .roundCorners(radius: 20)]`, or a single
/// transform. The elements of a literal are chains themselves, so that a chain can be part of another.
public struct TransformChain: ImageTransform {
    /// The transforms in order of application; none of them is a chain.
    public let steps: [any ImageTransform]

    /// Whether animated images are left unchanged; true only for ``exceptAnimations``.
    public private(set) var skipsAnimations = false

    /// Creates a chain of one transform, or a copy of a chain.
    public init(_ transform: some ImageTransform) {
        self.init(steps: [transform])
    }

    /// Creates a chain of transforms; the steps of chains are inserted.
    ///
    /// It skips animations if one of those chains does.
    public init(steps: [any ImageTransform] = []) {
        self.steps = steps.flatMap { ($0 as? TransformChain)?.steps ?? [$0] }
        skipsAnimations = steps.contains { ($0 as? TransformChain)?.skipsAnimations == true }
    }

    /// The same chain for stills only: an animated image is left unchanged.
    ///
    /// Otherwise every frame of an animation is transformed, or only the first if a step cannot do that. An
    /// image of which only the first frame is decoded is a still.
    public var exceptAnimations: TransformChain {
        var chain = self
        chain.skipsAnimations = true
        return chain
    }

    /// Whether the chain has no step.
    public var isEmpty: Bool { steps.isEmpty }

    /// Returns this chain followed by another.
    public func appending(_ next: TransformChain) -> TransformChain {
        [self, next]
    }
}

extension TransformChain: ExpressibleByArrayLiteral {
    /// Creates a chain from the steps of chains.
    public init(arrayLiteral chains: TransformChain...) {
        self.init(steps: chains)
    }
}

extension TransformChain {
    /// The identities of the steps, separated by `|`; empty for an empty chain.
    ///
    /// A `|` or `\` within an identity is escaped by `\`, so that two chains never have the same text. The
    /// text of a chain that skips animations begins with `\stills|`, unlike the identity of any step.
    public var cacheIdentity: String {
        let texts = steps.map { Self.escaped($0.cacheIdentity) }
        return ((skipsAnimations && !isEmpty ? ["\\stills"] : []) + texts).joined(separator: "|")
    }

    private static func escaped(_ text: String) -> String {
        let (bar, backslash) = (UInt8(ascii: "|"), UInt8(ascii: "\\"))
        guard text.utf8.contains(where: { $0 == bar || $0 == backslash }) else { return text }
        let bytes = text.utf8.flatMap { $0 == bar || $0 == backslash ? [backslash, $0] : [$0] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether every step is applied to each frame.
    public var appliesPerFrame: Bool { steps.allSatisfy(\.appliesPerFrame) }

    /// True: each step receives the depth that it supports.
    ///
    /// Crops, flips, turns and resizes retain more than 8 bits; channels are rounded before the first other
    /// step.
    public var keepsDepth: Bool { true }

    /// The maximum number of steps of a chain: 100.
    public static let maxStepCount = 100

    /// Validates the number of steps, and each of them.
    ///
    /// - Throws: ``TransformError`` with `limitExceeded` for more than ``maxStepCount`` steps, or the error
    ///   of a step.
    public func validate() throws {
        guard steps.count <= Self.maxStepCount else {
            throw TransformError(
                .limitExceeded,
                detail: "\(steps.count) transforms in a chain; the maximum is \(Self.maxStepCount)"
            )
        }
        for step in steps { try step.validate() }
    }

    /// Applies all steps.
    ///
    /// Blocks. An animated image remains animated if every step applies to each frame; its frames are
    /// transformed on demand. Transforms that depend on the content, such as trimming a border, are resolved
    /// on the first frame and applied to all.
    ///
    /// - Parameter image: The image.
    /// - Returns: The result; `image` itself if the chain is empty or skips animations.
    /// - Throws: The errors of ``validate()`` before any work is done, or the error of a step.
    public func apply(to image: Image) throws -> Image { try apply(to: image, at: nil) }

    /// Applies all steps, using the processes of a place for C libraries, if one is given.
    ///
    /// - Throws: The errors of ``apply(to:)``.
    package func apply(to image: Image, at place: (any TransformProcesses)?) throws -> Image {
        guard !isEmpty else { return image }
        try validate()
        if skipsAnimations, image.animation != nil { return image }
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
            // The steps resolved for the first frame are applied to the others; a still is transformed in one
            // go.
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
    /// Returns whether both have equal steps in the same order, and treat animations alike.
    public static func == (left: TransformChain, right: TransformChain) -> Bool {
        left.skipsAnimations == right.skipsAnimations
            && left.steps.map { AnyHashable($0) } == right.steps.map { AnyHashable($0) }
    }

    /// Hashes the steps and the treatment of animations.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(skipsAnimations)
        hasher.combine(steps.map { AnyHashable($0) })
    }
}
