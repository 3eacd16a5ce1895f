import CalotypeSupport
import NIOCore

/// A set of pending elements, such as accepted connections that no task handles yet.
final class Intake<Element: Hashable & Sendable>: Sendable {
    private struct State {
        var elements: Set<Element> = []
        var waiters: [CheckedContinuation<Void, Never>] = []
        var isStopped = false
        var isOver = false
    }

    private let state = Guarded(State())

    /// Whether no more elements are accepted.
    var isStopped: Bool { state.withLock(\.isStopped) }

    func stop() { state.withLock { $0.isStopped = true } }

    func enter(_ element: Element) { state.withLock { _ = $0.elements.insert(element) } }

    func leave(_ element: Element) {
        let waiters = state.withLock { state in
            state.elements.remove(element)
            return state.elements.isEmpty ? Self.takeWaiters(&state) : []
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Resumes all waiters, and disables further waits.
    func end() {
        let waiters = state.withLock { state in
            state.isOver = true
            return Self.takeWaiters(&state)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when no element is pending.
    func untilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                guard !state.elements.isEmpty, !state.isOver else { return true }
                state.waiters.append(continuation)
                return false
            }
            if isEmpty { continuation.resume() }
        }
    }

    private static func takeWaiters(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        defer { state.waiters = [] }
        return state.waiters
    }
}

extension Intake<ObjectIdentifier> {
    /// Adds a channel until it is closed, or ``leave(_:)`` is called.
    func enter(_ channel: any Channel) {
        let element = ObjectIdentifier(channel)
        enter(element)
        channel.closeFuture.whenComplete { [self] _ in leave(element) }
    }
}

/// Tracks the accepted connections of a server channel, and stops accepting once the intake has stopped.
final class IntakeHandler: ChannelDuplexHandler {
    typealias InboundIn = Channel
    typealias OutboundIn = Never

    private let intake: Intake<ObjectIdentifier>

    init(_ intake: Intake<ObjectIdentifier>) {
        self.intake = intake
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        intake.enter(unwrapInboundIn(data))
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if !intake.isStopped { context.read() }
    }
}
