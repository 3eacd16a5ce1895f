import Calotype
import CalotypeCore
import CalotypeLoading

/// The failure of a watermark, as opposed to that of the image.
struct WatermarkError: Error, CustomStringConvertible {
    let underlying: LoadError
    /// Whether its bytes have left memory, so that they have to be loaded again.
    private(set) var isEvicted = false

    init(underlying: LoadError) { self.underlying = underlying }

    /// Returns the error within that of a result; `nil` if the result failed otherwise.
    init?(in error: any Error) {
        guard let own = (error as? LoadError)?.underlying as? WatermarkError else { return nil }
        self = own
    }

    /// The bytes have left memory while the original was awaited.
    static var evicted: WatermarkError {
        let detail = "its bytes left memory while the image was awaited"
        let cause = FetchError(.overloaded, isRetryable: true, detail: detail)
        var error = WatermarkError(underlying: LoadError(stage: .cache, underlying: cause))
        error.isEvicted = true
        return error
    }

    static func unlikeHeader(_ size: PixelSize, _ expected: PixelSize) -> WatermarkError {
        let detail = "it has \(size) pixels instead of \(expected), which its header states"
        let cause = DecodeError(.corrupt, detail: detail)
        return WatermarkError(underlying: LoadError(stage: .decode, underlying: cause))
    }

    var description: String { "watermark: \(underlying)" }
}
