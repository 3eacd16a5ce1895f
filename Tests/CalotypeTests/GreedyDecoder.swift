import CalotypeTesting
import FoundationEssentials

@testable import Calotype

/// A decoder that fails for want of memory if the result is wider than a limit.
struct GreedyDecoder: ImageDecoder {
    let maxWidth: Int
    let decodeCount = SharedState(0)
    private let base = FakeImageDecoder()

    init(maxWidth: Int) {
        self.maxWidth = maxWidth
    }

    var formats: [ImageFormat] { base.formats }

    func recognizes(_ data: Data) -> ImageFormat? { base.recognizes(data) }

    func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try base.info(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        decodeCount.withLock { $0 += 1 }
        let image = try base.decode(data, options: options)
        guard image.size.width <= maxWidth else { throw DecodeError(.memoryExceeded, detail: "too wide") }
        return image
    }
}
