import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

extension SampleCheck {
    // MARK: - Cuts

    /// Checks that a truncated file throws or, if only expendable bytes are missing, decodes as the whole
    /// image; the latter also holds if the metadata states that the file lacks its end.
    func checkCuts() throws {
        let whole = try decode()
        let byteCount = sample.data.count
        for cut in Damage.cuts(of: sample.data) {
            let part = sample.data.prefix(cut)
            let isSpared = cut >= byteCount - sample.expendableByteCount
            switch Self.result({ () throws(DecodeError) in
                try decoder.decode(part, options: DecodeOptions())
            }) {
            case .success(let image):
                try checkCut(image, whole, isSpared: isSpared, circumstances("cut to \(cut) bytes"))
            case .failure(let error):
                let codes: [DecodeError.Code] = [.empty, .truncated, .corrupt, .unrecognizedFormat]
                let found = circumstances("cut to \(cut) bytes: \(error)")
                try expect(
                    "a truncated file is empty, truncated or corrupt",
                    found,
                    codes.contains(error.code)
                )
            }
        }
    }

    private func checkCut(_ image: Image, _ whole: Image, isSpared: Bool, _ found: String) throws {
        if isSpared {
            try expect("expendable bytes change no pixel", found, image.hasPixels(of: whole))
            return
        }
        if image.metadata.isFileTruncated {
            try expect("a file that lacks only its end has all pixels", found, image.hasPixels(of: whole))
            return
        }
        // The first frame may be complete; then a later one must fail.
        let isHonest = image.animation.map { Self.frames(of: $0).error != nil } ?? false
        try expect("a truncated file is an error", found, isHonest)
    }

    /// Returns the number of frames before the first error, and that error.
    private static func frames(of animation: Animation) -> (count: Int, error: (any Error)?) {
        for index in 0..<animation.frameCount {
            do {
                _ = try animation.decodeFrame(at: index)
            } catch {
                return (index, error)
            }
        }
        return (animation.frameCount, nil)
    }

    static func result(_ body: () throws(DecodeError) -> Image) -> Result<Image, DecodeError> {
        Result(catching: body)
    }

    // MARK: - Damage

    /// Checks that flipped bits give an error or an image of the size in the header, within the limits.
    func checkDamage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Flipped bits in the size must not make the test slow.
        let limits = DecodeLimits(maxPixelCount: 1_000_000, maxFrameCount: 1_000)
        for round in 0..<200 {
            let damaged = sample.data.flippingBits(1 + round % 3, using: &random)
            let found = circumstances("seed \(seed), round \(round)")
            let options = DecodeOptions(limits: limits)
            switch Self.result({ () throws(DecodeError) in try decoder.decode(damaged, options: options) }) {
            case .success(let image):
                let claimed = try decoder.info(of: damaged, limits: limits)
                try expect("a damaged image has the size it claims", found, image.size == claimed.displaySize)
                if let animation = image.animation { _ = Self.frames(of: animation) }
            case .failure(let error):
                try expect("an error has a detail", found, !error.detail.isEmpty)
            }
        }
    }
}
