import CalotypeCore

/// Histogram equalization of each colour channel.
struct Equalize: NamedTransform {
    var cacheIdentity: String { Identity("equalize").text }

    func apply(to image: Image) throws -> Image {
        let counts = LevelCounts(image)
        let curves = (0..<3).map { counts.equalizing(channel: $0) }
        return try ToneCurves(red: curves[0], green: curves[1], blue: curves[2]).apply(to: image)
    }
}

/// The number of pixels at each level of each colour channel.
private struct LevelCounts {
    private let counts: [[Int]]

    /// Counts the pixels of an image of 8 bits a channel.
    init(_ image: Image) {
        let step = image.pixelFormat.bytesPerPixel
        var counts = [[Int]](repeating: [Int](repeating: 0, count: 256), count: min(step, 3))
        image.pixels.withUnsafeBytes { bytes in
            for channel in counts.indices {
                for place in stride(from: channel, to: bytes.count, by: step) {
                    // Invisible colours do not count.
                    if step == 4, bytes[place - channel + 3] == 0 { continue }
                    counts[channel][Int(bytes[place])] += 1
                }
            }
        }
        self.counts = counts
    }

    /// Returns the curve after which all levels are about equally frequent.
    ///
    /// The darkest level becomes 0, the brightest 255; a channel of one level is unchanged.
    func equalizing(channel: Int) -> ToneCurve {
        let own = counts.count == 1 ? counts[0] : counts[channel]
        var sum = 0
        let sums = own.map { count in
            sum += count
            return sum
        }
        let least = own.first { $0 > 0 } ?? 0
        guard sum > least else { return .identity }
        let factor = 255 / Double(sum - least)
        return ToneCurve { UInt8((Double(max(0, sums[Int($0)] - least)) * factor).rounded()) }
    }
}

extension TransformChain {
    /// Distributes the levels of each colour channel evenly: histogram equalization.
    ///
    /// A level becomes the share of visible pixels that are not brighter, so that the darkest becomes 0 and
    /// the brightest 255. A channel of a single level is unchanged. Alpha is unchanged; each frame of an
    /// animation has its own histogram.
    public static var equalize: TransformChain { TransformChain(Equalize()) }
}
