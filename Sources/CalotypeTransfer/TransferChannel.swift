import CalotypeSupport
import FoundationEssentials

/// The received part of a response, written by the client's thread and read by the reader.
final class TransferChannel: Sendable {
    typealias Waiter = @Sendable (()) -> Void

    enum Found: Sendable {
        case bytes(Data)
        case end
        /// Nothing yet; a transfer that has paused continues when it is resumed.
        case nothing(isPaused: Bool)
    }

    /// The data passed on at once by the client's thread.
    struct News: Sendable {
        var head: Data?
        var cookies: [CookieLine]?
        var bytes: Data?
        var isPaused = false
        var end: Result<Void, TransferError>?
        var timings: TransferTimings?
    }

    /// The reader's state for the client's thread.
    struct Demand: Sendable {
        /// The bytes passed on and not read yet.
        var unreadByteCount: Int
        /// Whether the reader waits for the whole body, and does not need parts.
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
        /// Whether there has been a change since the reader's last look.
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

    /// Passes on received data, and wakes the reader.
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

    /// The measurements, once the client's thread has ended the transfer.
    var timings: TransferTimings? { state.withLock(\.timings) }

    /// The cookies of the request and the response, once the header is there; `nil` if it sets none.
    var cookies: [CookieLine]? { state.withLock(\.cookies) }

    /// Returns the header, once it is there.
    func head() throws -> Data? {
        try state.withLock { state in
            state.hasNews = false
            if let head = state.head { return head }
            try state.end?.get()
            return nil
        }
    }

    /// Returns the bytes received since the last call.
    func takeBytes() throws -> Found {
        try state.withLock { state in
            state.hasNews = false
            if !state.bytes.isEmpty {
                defer { state.bytes = Data() }
                return .bytes(state.bytes)
            }
            guard let end = state.end else {
                defer { state.isPaused = false }
                return .nothing(isPaused: state.isPaused)
            }
            try end.get()
            return .end
        }
    }

    /// Requests the whole body; returns whether the transfer has paused.
    func wantWhole() -> Bool {
        state.withLock { state in
            state.wantsWhole = true
            defer { state.isPaused = false }
            return state.isPaused
        }
    }

    /// Returns all bytes, once the transfer has ended.
    func takeWhole() throws -> Data? {
        try state.withLock { state in
            state.hasNews = false
            guard let end = state.end else { return nil }
            try end.get()
            defer { state.bytes = Data() }
            return state.bytes
        }
    }

    /// Drops the rest of the body.
    func discard() {
        state.withLock { state in
            state.wantsWhole = true
            state.bytes = Data()
        }
    }

    /// The reader's unread bytes, and its demand.
    var demand: Demand {
        state.withLock { Demand(unreadByteCount: $0.bytes.count, wantsWhole: $0.wantsWhole) }
    }

    /// Ends the transfer for the reader; returns whether it had not ended before.
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

    /// Calls the waiter at the next change, or at once if there has been one since the last look.
    func wait(_ waiter: @escaping Waiter) {
        let isDue = state.withLock { state in
            if state.hasNews { return true }
            guard let first = state.waiter else {
                state.waiter = waiter
                return false
            }
            // Two readers of one body each get parts of it, but neither waits forever.
            state.waiter = {
                first($0)
                waiter($0)
            }
            return false
        }
        if isDue { waiter(()) }
    }
}
