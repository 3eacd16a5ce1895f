import CalotypeTesting
import FoundationEssentials
import TestMaterial

@testable import Calotype

/// A decoder that fails for want of memory if the result is wider than a limit.
struct GreedyDecoder: ForwardingDecoder {
    let maxWidth: Int
    let decodeCount = SharedState(0)
    let base = FakeImageDecoder()

    init(maxWidth: Int) {
        self.maxWidth = maxWidth
    }

    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        decodeCount.withLock { $0 += 1 }
        let image = try base.decode(data, options: options)
        guard image.size.width <= maxWidth else { throw DecodeError(.memoryExceeded, detail: "too wide") }
        return image
    }
}
