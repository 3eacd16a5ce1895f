import CMalloc
import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

extension DecoderCheck {
    /// What a decode gives.
    private enum Outcome: Equatable {
        case pixels([Data])
        case failure(DecodeError.Code)
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
        do throws(DecodeError) {
            return .pixels(try decoder.decode(input, options: options).firstPixels)
        } catch {
            return .failure(error.code)
        }
    }
}
