public import CalotypeCodecs
public import CalotypeCore
internal import CalotypeSupport
public import FoundationEssentials

/// A decoder for the format of ``FakeImageDecoder`` whose decodes run until released, like those of a
/// malicious file that occupies a thread.
public final class HeldImageDecoder: ImageDecoder {
    private struct State: Sendable {
        var startedCount = 0
        var endedCount = 0
        var isReleased = false
    }

    private let heedsStop: Bool
    private let base = FakeImageDecoder()
    private let state = Guarded(State())

    /// A gate that opens when the first decode has begun.
    public let reached = AsyncGate()

    /// A gate that opens when a decode has ended.
    public let ended = AsyncGate()

    /// Creates a decoder.
    ///
    /// - Parameter heedsStop: Whether a decode also ends when it is told to stop, like code that checks
    ///   between rows; false by default, like a library that decodes in one call.
    public init(heedsStop: Bool = false) {
        self.heedsStop = heedsStop
    }

    /// The number of decodes begun.
    public var startedCount: Int { state.withLock { $0.startedCount } }

    /// The number of decodes ended.
    public var endedCount: Int { state.withLock { $0.endedCount } }

    /// Releases all decodes, now and later.
    public func release() {
        state.withLock { $0.isReleased = true }
    }

    /// The format of ``FakeImageDecoder``.
    public var formats: [ImageFormat] { base.formats }

    /// Returns the format if the bytes begin with `fake:`.
    public func recognizes(_ data: Data) -> ImageFormat? { base.recognizes(data) }

    /// Parses the size, without waiting.
    ///
    /// - Throws: `DecodeError` as ``FakeImageDecoder``.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try base.info(of: data, limits: limits)
    }

    /// Creates a gray image once released.
    ///
    /// - Throws: `DecodeError` as ``FakeImageDecoder``, and if told to stop with `heedsStop`.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        state.withLock { $0.startedCount += 1 }
        reached.open()
        defer {
            state.withLock { $0.endedCount += 1 }
            ended.open()
        }
        while !state.withLock({ $0.isReleased }) {
            if heedsStop { try DecodeError.checkStop(FakeImageDecoder.format) }
            // A millisecond, so that a long decode uses hardly any processor time.
            poll(nil, 0, 1)
        }
        return try base.decode(data, options: options)
    }
}
