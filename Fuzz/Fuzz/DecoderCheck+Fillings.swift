import CMalloc
import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

extension DecoderCheck {
    /// What a decode gives, the small picture beside it, and what is shown while the bytes arrive.
    private struct Outcome: Equatable {
        var pixels: [Data] = []
        var failure: DecodeError.Code?
        var thumbnail: Data?
        var previews: [Data] = []
    }

    /// What the memory held before is never shown: the same comes of an input whatever memory is filled with.
    ///
    /// Small pieces of memory are filled only where the C library keeps none at hand, which the Makefile sees
    /// to (`glibc.malloc.tcache_count=0`).
    func checkFillings(_ input: Data) {
        for options in [Self.whole, Self.small] {
            let outcomes = [UInt8(0x55), 0xAA].map { filling in
                mallopt(M_PERTURB, Int32(filling))
                HEICDecoder.fillMemory(filling)
                defer {
                    mallopt(M_PERTURB, 0)
                    HEICDecoder.fillMemory(0)
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

    /// Some previews, up to an error.
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
    }
}
