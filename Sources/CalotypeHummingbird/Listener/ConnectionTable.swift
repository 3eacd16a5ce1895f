import CalotypeSupport
import NIOCore

/// The connections of a listener, and which of them is given up if there are too many.
///
/// A connection without a request under way is given up first, the one that has waited longest before the
/// others; one that has been answered before one that is new. While all places are taken, answers end their
/// connections, so that clients in the system's queue get a turn.
final class ConnectionTable: Sendable {
    /// Asks a connection to close if it has no request under way.
    struct Shed: Sendable {
        /// Whether it has had its time for the head of a request that has begun to come.
        var isGraceOver = false
    }

    private struct Entry {
        let channel: any Channel
        /// The number of the wait for a request; `nil` while a request is under way.
        var wait: Int?
    }

    private struct Wait {
        let connection: Int
        let number: Int
        let start = NIODeadline.now()
    }

    /// Waits in their order; those that are over are skipped.
    private struct Waits {
        private var waits: [Wait] = []
        private var start = 0

        mutating func append(_ wait: Wait) { waits.append(wait) }

        var count: Int { waits.count - start }

        /// The first wait that is not over.
        mutating func first(in entries: [Int: Entry]) -> Wait? {
            while start < waits.count {
                if Self.isCurrent(waits[start], in: entries) { return waits[start] }
                start += 1
            }
            (waits, start) = ([], 0)
            return nil
        }

        /// Forgets the waits that are over.
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
        /// The connections that have been answered.
        var kept = Waits()
        /// The connections without a request so far, and those that have sent a part of their next one.
        var fresh = Waits()
        var looksAgain = false
        /// The most connections since their fall was told.
        var peak = 0
    }

    /// The time in which a new connection is left alone: its request may be on the way.
    private static let grace: TimeAmount = .seconds(1)

    /// From so many connections on their fall is told.
    private static let fallCountMin = 64

    let countMax: Int
    private let fallHandler: @Sendable () -> Void
    private let state = Guarded(State())

    init(countMax: Int, _ fallHandler: @escaping @Sendable () -> Void = {}) {
        (self.countMax, self.fallHandler) = (countMax, fallHandler)
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// Whether all places are taken.
    var isFull: Bool { isFull(with: 0) }

    /// Whether all places are taken once those have been added that have been accepted.
    ///
    /// - Parameter arriving: How many have been accepted and not added.
    /// - Returns: True where another one would have no place.
    func isFull(with arriving: Int) -> Bool { state.withLock { $0.entries.count + arriving >= countMax } }

    /// Adds a connection, and gives one up if it takes the last place.
    ///
    /// - Returns: The number of the connection here.
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

    /// A request of a connection has begun.
    func noteRequest(of connection: Int) {
        state.withLock { $0.entries[connection]?.wait = nil }
    }

    /// A connection waits for its next request.
    ///
    /// - Parameters:
    ///   - connection: The number of the connection.
    ///   - hasBegun: Whether a part of the head has come: the rest has a grace, as for a new connection.
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

    /// Asks the connection that has waited longest to close, if all places are taken.
    ///
    /// Connections without a request so far are looked at a little later, and closed if they still have none.
    func relieve() {
        let (found, looksAgain) = state.withLock { state -> ((any Channel)?, (any Channel)?) in
            guard state.entries.count >= countMax else { return (nil, nil) }
            if let wait = state.kept.first(in: state.entries) { return (Self.take(wait, &state), nil) }
            guard !state.looksAgain, state.fresh.first(in: state.entries) != nil else { return (nil, nil) }
            state.looksAgain = true
            return (nil, state.entries.first?.value.channel)
        }
        found?.pipeline.fireUserInboundEventTriggered(Shed())
        looksAgain?.eventLoop.scheduleTask(in: Self.grace) { [self] in closeFresh() }
    }

    /// Closes connections that have sent no request for long enough, if all places are taken.
    private func closeFresh() {
        let found = state.withLock { state -> [any Channel] in
            state.looksAgain = false
            guard state.entries.count >= countMax else { return [] }
            let latest = NIODeadline.now() - Self.grace
            var found: [any Channel] = []
            while found.count <= countMax / 4, let wait = state.fresh.first(in: state.entries),
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
            guard state.peak >= Self.fallCountMin, state.entries.count <= state.peak / 2 else { return false }
            state.peak = state.entries.count
            return true
        }
        if hasFallen { fallHandler() }
    }

    /// Forgets waits that are over, once they are most.
    private static func compact(_ state: inout State) {
        let most = 2 * state.entries.count + 64
        guard state.kept.count > most || state.fresh.count > most else { return }
        state.kept.compact(state.entries)
        state.fresh.compact(state.entries)
    }
}
