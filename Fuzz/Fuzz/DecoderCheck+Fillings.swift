import CMalloc
import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

extension DecoderCheck {
    /// The pixels of a decode and of its frames, of the thumbnail in the file, and of an incremental decode
    /// with its previews.
    private struct Outcome: Equatable {
        var pixels: [Data] = []
        var failure: DecodeError.Code?
        var thumbnail: Data?
        var previews: [Data] = []
        var lastPixels: [Data] = []
        var lastFailure: DecodeError.Code?
    }

    /// Every way into a decoder: whole, small, a fraction of the size, deep, and the first frame alone.
    private static let entries: [DecodeOptions] = {
        var half = whole
        half.target = .fit(PixelBox(width: 40, height: 40))
        var deep = whole
        (deep.keepsDepth, deep.convertsToSRGB) = (true, false)
        var first = whole
        first.frames = .first
        var damaged = whole
        damaged.damage = .allowsPartialImage
        return [whole, small, half, deep, first, damaged]
    }()

    /// Earlier contents of memory never show: an input gives the same result with any filling of memory.
    ///
    /// Small pieces of memory are filled only where the C library keeps none at hand, which the Makefile sees
    /// to (`glibc.malloc.tcache_count=0`).
    func checkFillings(_ input: Data) {
        // Mapped memory holds zeros.
        PixelMemory.map(from: .max)
        for options in Self.entries {
            let outcomes = [UInt8(0x55), 0xAA].map { filling in
                mallopt(M_PERTURB, Int32(filling))
                HEICDecoder.fillMemory(filling)
                PixelBuffer.fill(with: filling)
                defer {
                    mallopt(M_PERTURB, 0)
                    HEICDecoder.fillMemory(0)
                    PixelBuffer.fill(with: 0)
                }
                return outcome(input, options)
            }
            precondition(outcomes[0] == outcomes[1], "the same comes of it whatever the memory held before")
        }
    }

    private func outcome(_ input: Data, _ options: DecodeOptions) -> Outcome {
        var outcome = Outcome()
        do throws(DecodeError) {
            outcome.pixels = try decoder.decode(input, options: options).firstPixels
        } catch {
            outcome.failure = error.code
        }
        let thumbnail = attempt { () throws(DecodeError) in try decoder.thumbnail(in: input, options: options)
        }
        outcome.thumbnail = thumbnail??.rgba8()
        _ = attempt { () throws(DecodeError) in
            try addPreviews(of: input, options, to: &outcome)
        }
        return outcome
    }

    /// Some previews and the image at the end, up to an error.
    private func addPreviews(
        of input: Data,
        _ options: DecodeOptions,
        to outcome: inout Outcome
    ) throws(DecodeError) {
        guard let incremental = decoder.makeIncrementalDecoder(for: format, options: options) else { return }
        var rest = input
        while !rest.isEmpty {
            let bytes = rest.prefix(1 + input.count / 4)
            rest = rest.dropFirst(bytes.count)
            try incremental.append(bytes)
            if let preview = try incremental.preview() { outcome.previews.append(preview.image.rgba8()) }
        }
        do throws(DecodeError) {
            outcome.lastPixels = try incremental.finish().firstPixels
        } catch {
            outcome.lastFailure = error.code
        }
    }
}
