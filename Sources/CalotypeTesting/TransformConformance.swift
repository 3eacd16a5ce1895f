internal import CalotypeCore
public import CalotypeTransforms

/// A check that a transform conforms to `ImageTransform`, for tests of custom transforms.
///
/// Blocks. It throws at the first broken promise.
public struct TransformConformance: Sendable {
    /// A broken promise of a transform.
    public struct Breach: Error, Hashable, Sendable, CustomStringConvertible {
        /// The promise, as a sentence.
        public let promise: String

        /// The promise, prefixed with `broken`.
        public var description: String { "broken: \(promise)" }
    }

    private let transform: TransformChain

    /// Creates a check of a transform.
    public init(_ transform: TransformChain) {
        self.transform = transform
    }

    /// Creates a check of a custom transform.
    public init(_ transform: some ImageTransform) {
        self.init(TransformChain(transform))
    }

    /// Checks keys, and the results for images of all pixel formats, of one pixel, and for an animation.
    ///
    /// - Parameter changed: Copies of the transform with another value of one property, for each property.
    /// - Throws: ``Breach``, or an unexpected error of the transform.
    public func run(changed: [TransformChain]) throws {
        try transform.validate()
        try checkKeys(changed)
        for format in PixelFormat.allCases {
            try checkResult(of: picture(PixelSize(width: 64, height: 48), format))
        }
        try checkOnePixel()
        try checkAnimation()
    }

    private func checkKeys(_ changed: [TransformChain]) throws {
        try expect("a transform has a cache identity", !transform.cacheIdentity.isEmpty)
        try expect(
            "a copy is equal and has the same key",
            Self.areEqual(transform, TransformChain(transform))
        )
        let all = [transform] + changed
        for (index, one) in all.enumerated() {
            for other in all[(index + 1)...] {
                try expect("“\(one.cacheIdentity)” and another value of a property differ", one != other)
                try expect(
                    "“\(one.cacheIdentity)” is the identity of one value only",
                    one.cacheIdentity != other.cacheIdentity
                )
            }
        }
    }

    private static func areEqual(_ left: TransformChain, _ right: TransformChain) -> Bool {
        left == right && left.hashValue == right.hashValue && left.cacheIdentity == right.cacheIdentity
    }

    private func checkResult(of image: Image) throws {
        let before = image.rgba8()
        let result = try transform.apply(to: image)
        try expect("the source image is unchanged", image.rgba8() == before)
        try expect("a still gives a still", result.animation == nil)
        try expect("the scale stays", result.scale == image.scale)
        try expect("the format stays", result.format == image.format)
        try expect("the metadata stay", result.metadata == image.metadata)
        let again = try transform.apply(to: image)
        try expect("the same image gives the same size", again.size == result.size)
        try expect("the same image gives the same pixels", again.rgba8() == result.rgba8())
    }

    /// An image that is too small for a transform throws or is transformed; it does not crash.
    private func checkOnePixel() throws {
        for format in PixelFormat.allCases {
            let image = picture(PixelSize(width: 1, height: 1), format)
            do {
                try expect("the result is not empty", !(try transform.apply(to: image)).size.isEmpty)
            } catch let breach as Breach {
                throw breach
            } catch {
                continue
            }
        }
    }

    private func checkAnimation() throws {
        let source = FakeFrameSource(frameCount: 3, size: PixelSize(width: 40, height: 30), valueStep: 50)
        let animation = Animation(source: source)
        let animated = try animation.decodeFrame(at: 0).replacing(animation: animation)
        let result = try transform.apply(to: animated)
        guard transform.appliesPerFrame else {
            return try expect("a transform of the first frame gives a still", result.animation == nil)
        }
        guard let animation = result.animation else { throw Breach(promise: "each frame is transformed") }
        try expect("no frame is lost", animation.frameCount == 3)
        for index in 0..<3 {
            let frame = try animation.decodeFrame(at: index)
            try expect("all frames have the size of the first", frame.size == result.size)
        }
    }

    private func picture(_ size: PixelSize, _ format: PixelFormat) -> Image {
        let drawn = TestImages.photograph(size, format: format)
        return Image(
            size: size,
            pixelFormat: format,
            pixels: drawn.pixels,
            scale: 2,
            format: .webP,
            metadata: ImageMetadata(hasColorProfile: true)
        )
    }

    private func expect(_ promise: String, _ isKept: Bool) throws {
        guard isKept else { throw Breach(promise: promise) }
    }
}
