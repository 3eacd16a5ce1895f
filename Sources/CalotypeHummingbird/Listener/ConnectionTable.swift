import CalotypeSupport
import NIOCore

/// The connections of a listener, and the choice of those to close if there are too many.
///
/// A connection without a request in progress is closed first: those that have been answered before new ones,
/// and the longest waiting first. While the table is full, each response ends its connection, so that clients
/// in the system's queue get a turn.
final class ConnectionTable: Sendable {
    /// An event that asks a connection to close if it has no request in progress.
    struct Shed: Sendable {
        /// Whether the time limit for a partially received header is over.
        var isGraceOver = false
    }

    private struct Entry {
        let channel: any Channel
        /// The number of the current wait for a request; `nil` while a request is in progress.
        var wait: Int?
    }

    private struct Wait {
        let connection: Int
        let number: Int
        let start = NIODeadline.now()
    }

    /// Waits in order; outdated ones are skipped.
    private struct Waits {
        private var waits: [Wait] = []
        private var start = 0

        mutating func append(_ wait: Wait) { waits.append(wait) }

        var count: Int { waits.count - start }

        /// Returns the first current wait.
        mutating func first(in entries: [Int: Entry]) -> Wait? {
            while start < waits.count {
                if Self.isCurrent(waits[start], in: entries) { return waits[start] }
                start += 1
            }
            (waits, start) = ([], 0)
            return nil
        }

        mutating func compact(_ entries: [Int: Entry]) {
            (waits, start) = (waits[start...].filter { Self.isCurrent($0, in: entries) }, 0)
        }

        private static func isCurrent(_ wait: Wait, in entries: [Int: Entry]) -> Bool {
            entries[wait.connection]?.wait == wait.number
        }
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var lastConnection = 0
        var lastWait = 0
        /// Waits of connections that have been answered.
        var kept = Waits()
        /// Waits of connections without a request so far, and with a partially received next one.
        var fresh = Waits()
        var looksAgain = false
        /// The most connections since the last call of the fall handler.
        var peak = 0
    }

    /// The minimum age of a closed new connection: its request may be on the way.
    private static let grace: TimeAmount = .seconds(1)

    /// The fall handler is called only after at least this many connections.
    private static let minFallCount = 64

    let maxCount: Int
    private let fallHandler: @Sendable () -> Void
    private let state = Guarded(State())

    init(maxCount: Int, _ fallHandler: @escaping @Sendable () -> Void = {}) {
        (self.maxCount, self.fallHandler) = (maxCount, fallHandler)
    }

    var count: Int { state.withLock { $0.entries.count } }

    var isFull: Bool { isFull(with: 0) }

    /// Whether the table is full, including accepted connections that are not added yet.
    ///
    /// - arriving: The number of accepted connections that are not added yet.
    /// - Returns: True if there is no room for another one.
    func isFull(with arriving: Int) -> Bool { state.withLock { $0.entries.count + arriving >= maxCount } }

    /// Adds a connection, and closes one if the table is full.
    ///
    /// - Returns: The number of the connection in the table.
    func add(_ channel: any Channel) -> Int {
        let number = state.withLock { state in
            state.lastConnection += 1
            state.peak = max(state.peak, state.entries.count + 1)
            state.lastWait += 1
            state.entries[state.lastConnection] = Entry(channel: channel, wait: state.lastWait)
            state.fresh.append(Wait(connection: state.lastConnection, number: state.lastWait))
            return state.lastConnection
        }
        channel.closeFuture.whenComplete { [self] _ in remove(number) }
        relieve()
        return number
    }

    func noteRequest(of connection: Int) {
        state.withLock { $0.entries[connection]?.wait = nil }
    }

    /// Records that a connection waits for its next request.
    ///
    /// - Parameters:
    ///   - connection: The number of the connection.
    ///   - hasBegun: Whether part of the header was received: the rest has a grace period, as for a new
    ///     connection.
    func noteWait(of connection: Int, hasBegun: Bool = false) {
        state.withLock { state in
            guard state.entries[connection] != nil else { return }
            state.lastWait += 1
            state.entries[connection]?.wait = state.lastWait
            let wait = Wait(connection: connection, number: state.lastWait)
            if hasBegun { state.fresh.append(wait) } else { state.kept.append(wait) }
            Self.compact(&state)
        }
    }

    /// Asks the longest waiting connection to close, if the table is full.
    ///
    /// Connections without a request so far are checked a little later, and closed if they still have none.
    func relieve() {
        let (found, looksAgain) = state.withLock { state -> ((any Channel)?, (any Channel)?) in
            guard state.entries.count >= maxCount else { return (nil, nil) }
            if let wait = state.kept.first(in: state.entries) { return (Self.take(wait, &state), nil) }
            guard !state.looksAgain, state.fresh.first(in: state.entries) != nil else { return (nil, nil) }
            state.looksAgain = true
            return (nil, state.entries.first?.value.channel)
        }
        found?.pipeline.fireUserInboundEventTriggered(Shed())
        looksAgain?.eventLoop.scheduleTask(in: Self.grace) { [self] in closeFresh() }
    }

    /// Closes connections that have sent no request in time, if the table is full.
    private func closeFresh() {
        let found = state.withLock { state -> [any Channel] in
            state.looksAgain = false
            guard state.entries.count >= maxCount else { return [] }
            let latest = NIODeadline.now() - Self.grace
            var found: [any Channel] = []
            while found.count <= maxCount / 4, let wait = state.fresh.first(in: state.entries),
                wait.start <= latest, let channel = Self.take(wait, &state)
            {
                found.append(channel)
            }
            return found
        }
        for channel in found { channel.pipeline.fireUserInboundEventTriggered(Shed(isGraceOver: true)) }
        if found.isEmpty { relieve() }
    }

    private static func take(_ wait: Wait, _ state: inout State) -> (any Channel)? {
        state.entries[wait.connection]?.wait = nil
        return state.entries[wait.connection]?.channel
    }

    private func remove(_ connection: Int) {
        let hasFallen = state.withLock { state in
            state.entries[connection] = nil
            Self.compact(&state)
            guard state.peak >= Self.minFallCount, state.entries.count <= state.peak / 2 else { return false }
            state.peak = state.entries.count
            return true
        }
        if hasFallen { fallHandler() }
    }

    /// Removes outdated waits, once they are the majority.
    private static func compact(_ state: inout State) {
        let most = 2 * state.entries.count + 64
        guard state.kept.count > most || state.fresh.count > most else { return }
        state.kept.compact(state.entries)
        state.fresh.compact(state.entries)
    }
}
