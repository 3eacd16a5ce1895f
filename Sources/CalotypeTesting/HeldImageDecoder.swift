public import CalotypeCodecs
public import CalotypeCore
internal import CalotypeSupport
public import FoundationEssentials

/// A decoder of the format of ``FakeImageDecoder`` whose decodes go on until they are let go, as those of a
/// file that was made to hold a thread.
public final class HeldImageDecoder: ImageDecoder {
    private struct State: Sendable {
        var startedCount = 0
        var endedCount = 0
        var isReleased = false
    }

    private let heedsStop: Bool
    private let base = FakeImageDecoder()
    private let state = Guarded(State())

    /// Opens when the first decode has begun.
    public let reached = AsyncGate()

    /// Opens when a decode has ended.
    public let ended = AsyncGate()

    /// Creates a decoder.
    ///
    /// - Parameter heedsStop: Whether a decode also ends where it is told to, as code that looks between two
    ///   rows; no by default, as a library that decodes all at once.
    public init(heedsStop: Bool = false) {
        self.heedsStop = heedsStop
    }

    /// How many decodes have begun.
    public var startedCount: Int { state.withLock { $0.startedCount } }

    /// How many decodes have ended.
    public var endedCount: Int { state.withLock { $0.endedCount } }

    /// Lets all decodes go, now and later.
    public func release() {
        state.withLock { $0.isReleased = true }
    }

    /// That of ``FakeImageDecoder``.
    public var formats: [ImageFormat] { base.formats }

    /// Whether the bytes begin with `fake:`.
    public func recognizes(_ data: Data) -> ImageFormat? { base.recognizes(data) }

    /// Reads the size, without being held.
    ///
    /// - Throws: `DecodeError` as ``FakeImageDecoder``.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try base.info(of: data, limits: limits)
    }

    /// Makes a gray image once it is let go.
    ///
    /// - Throws: `DecodeError` as ``FakeImageDecoder``, and where it is told to end and heeds that.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        state.withLock { $0.startedCount += 1 }
        reached.open()
        defer {
            state.withLock { $0.endedCount += 1 }
            ended.open()
        }
        while !state.withLock({ $0.isReleased }) {
            if heedsStop { try DecodeError.checkStop(FakeImageDecoder.format) }
            // A millisecond: one that is held for long takes no processor from others.
            poll(nil, 0, 1)
        }
        return try base.decode(data, options: options)
    }
}
