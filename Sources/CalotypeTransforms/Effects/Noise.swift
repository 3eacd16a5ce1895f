import CalotypeCore

/// Grain: the same random number is added to all channels of a pixel.
struct Noise: NamedTransform {
    static let maxAmount = 255

    /// The number of different values that may be added.
    let amount: Int
    let seed: UInt64

    var cacheIdentity: String { Identity("noise").with("amount", amount).with("seed", "\(seed)").text }

    /// The loop is written in Swift.
    func usesLibrary(for size: PixelSize) -> Bool { false }

    func validate() throws(TransformError) {
        guard (0...Self.maxAmount).contains(amount) else {
            throw .invalid("noise amount \(amount) is out of range; use 0...\(Self.maxAmount) levels")
        }
    }

    func apply(to image: Image) throws -> Image {
        try validate()
        guard amount > 0 else { return image.firstFrame }
        let step = image.pixelFormat.bytesPerPixel
        let colorCount = min(step, 3)
        let pixels = try PixelBuffer(byteCount: image.pixels.byteCount) { target throws(TransformError) in
            image.pixels.withUnsafeBytes { source in
                target.copyMemory(from: source)
            }
            var numbers = GrainSequence(seed: seed)
            for pixel in stride(from: 0, to: target.count, by: step) {
                let offset = Int(numbers.next(below: UInt64(amount))) - amount / 2
                for band in pixel..<pixel + colorCount {
                    target[band] = UInt8(min(255, max(0, Int(target[band]) + offset)))
                }
            }
        }
        return Image(
            size: image.size,
            pixelFormat: image.pixelFormat,
            pixels: pixels,
            scale: image.scale,
            format: image.format,
            metadata: image.metadata
        )
    }
}

/// Random numbers that are the same on all machines (SplitMix64).
///
/// - SeeAlso: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
private struct GrainSequence {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next(below count: UInt64) -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        // The upper half is uniform to within one in millions for such small counts.
        return ((mixed ^ (mixed >> 31)) >> 32) % count
    }
}

extension TransformChain {
    /// Adds grain: one random number a pixel, added to all its colour channels.
    ///
    /// The numbers are uniformly distributed from −amount ÷ 2 to below amount ÷ 2, and the same on all
    /// machines. Sums are clamped; alpha is unchanged. All frames of an animation have the same grain.
    ///
    /// - Parameters:
    ///   - amount: The number of different values, 0...255; 0 changes nothing.
    ///   - seed: Another seed gives other numbers; 0 by default.
    /// - Returns: The transform, which throws `invalidParameter` for an amount out of range.
    public static func noise(amount: Int, seed: UInt64 = 0) -> TransformChain {
        TransformChain(Noise(amount: amount, seed: seed))
    }
}
