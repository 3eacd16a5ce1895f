import CalotypeSupport
import FoundationEssentials

/// What has come of an answer, where the client's thread lays it down and the reader takes it.
final class TransferChannel: Sendable {
    typealias Waiter = @Sendable (()) -> Void

    /// What a reader finds.
    enum Found: Sendable {
        case bytes(Data, wasPaused: Bool)
        case end
        case nothing
    }

    /// What the client's thread brings at once.
    struct News: Sendable {
        var head: Data?
        var cookies: [CookieLine]?
        var bytes: Data?
        var isPaused = false
        var end: Result<Void, TransferError>?
        var timings: TransferTimings?
    }

    /// What the client's thread has to know of the reader.
    struct Demand: Sendable {
        /// The bytes that were laid down and are not read.
        var unreadByteCount: Int
        /// Whether the reader waits for all, and has no use for a part.
        var wantsWhole: Bool
    }

    private struct State: Sendable {
        var head: Data?
        var cookies: [CookieLine]?
        var bytes = Data()
        var isPaused = false
        var wantsWhole = false
        var end: Result<Void, any Error>?
        var timings: TransferTimings?
        /// Whether something has changed that the reader has not looked at.
        var hasNews = false
        var waiter: Waiter?

        mutating func takeWaiter() -> Waiter? {
            hasNews = true
            return waiter.take()
        }
    }

    let request: TransferRequest
    private let state = Guarded(State())

    init(_ request: TransferRequest) {
        self.request = request
    }

    /// Lays down what has come, and wakes the reader.
    func lay(_ news: News) -> Demand {
        let (demand, waiter) = state.withLock { state -> (Demand, Waiter?) in
            if let head = news.head { (state.head, state.cookies) = (head, news.cookies) }
            if let bytes = news.bytes {
                if state.bytes.isEmpty { state.bytes = bytes } else { state.bytes.append(bytes) }
            }
            state.isPaused = news.isPaused
            if let end = news.end, state.end == nil { state.end = end.mapError { $0 } }
            if let timings = news.timings { state.timings = timings }
            let demand = Demand(unreadByteCount: state.bytes.count, wantsWhole: state.wantsWhole)
            return (demand, state.takeWaiter())
        }
        waiter?(())
        return demand
    }

    /// What was measured, once the client's thread has ended it.
    var timings: TransferTimings? { state.withLock(\.timings) }

    /// The cookies of the request and of the answer, once the head is there; `nil` where it sets none.
    var cookies: [CookieLine]? { state.withLock(\.cookies) }

    /// The head, once it is there.
    func head() throws -> Data? {
        try state.withLock { state in
            state.hasNews = false
            if let head = state.head { return head }
            try state.end?.get()
            return nil
        }
    }

    /// What has come since the last call.
    func takeBytes() throws -> Found {
        try state.withLock { state in
            state.hasNews = false
            if !state.bytes.isEmpty {
                defer { (state.bytes, state.isPaused) = (Data(), false) }
                return .bytes(state.bytes, wasPaused: state.isPaused)
            }
            guard let end = state.end else { return .nothing }
            try end.get()
            return .end
        }
    }

    /// Says that the reader waits for the whole; tells whether the transfer has paused.
    func wantWhole() -> Bool {
        state.withLock { state in
            state.wantsWhole = true
            defer { state.isPaused = false }
            return state.isPaused
        }
    }

    /// All bytes, once the end has come.
    func takeWhole() throws -> Data? {
        try state.withLock { state in
            state.hasNews = false
            guard let end = state.end else { return nil }
            try end.get()
            defer { state.bytes = Data() }
            return state.bytes
        }
    }

    /// Says that nobody wants what is left.
    func discard() {
        state.withLock { state in
            state.wantsWhole = true
            state.bytes = Data()
        }
    }

    /// What the reader has left unread, and waits for.
    var demand: Demand {
        state.withLock { Demand(unreadByteCount: $0.bytes.count, wantsWhole: $0.wantsWhole) }
    }

    /// Ends it for the reader; tells whether it had not ended.
    func cancel() -> Bool {
        let (wasRunning, waiter) = state.withLock { state -> (Bool, Waiter?) in
            guard state.end == nil else { return (false, nil) }
            state.end = .failure(CancellationError())
            state.bytes = Data()
            return (true, state.takeWaiter())
        }
        waiter?(())
        return wasRunning
    }

    /// Calls the waiter at the next change, or at once where there was one since the last look.
    func wait(_ waiter: @escaping Waiter) {
        let isDue = state.withLock { state in
            if state.hasNews { return true }
            guard let first = state.waiter else {
                state.waiter = waiter
                return false
            }
            // Two readers of one body share it badly, and neither waits for ever.
            state.waiter = {
                first($0)
                waiter($0)
            }
            return false
        }
        if isDue { waiter(()) }
    }
}
