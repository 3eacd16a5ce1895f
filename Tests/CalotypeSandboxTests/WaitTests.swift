import CSandbox
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import CalotypeSandbox

/// Waits for a worker on a thread that receives signals.
@Suite(.alone) struct WaitTests {
    /// Interrupts the system calls of a thread until it is done.
    private static func interrupting(_ body: @escaping @Sendable () -> Void) async {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        sigaction(SIGUSR2, &action, nil)
        let (thread, isOver) = (SharedState<pthread_t?>(nil), SharedState(false))
        async let done: Void = BlockingPool(width: 1).run {
            thread.withLock { $0 = pthread_self() }
            body()
            // No signal is sent after this.
            thread.withLock { $0 = nil }
            isOver.withLock { $0 = true }
        }
        while !isOver.value {
            thread.withLock { thread in
                if let thread { pthread_kill(thread, SIGUSR2) }
            }
            await Task.yield()
        }
        await done
    }

    private static func pair() throws -> (Descriptor, Descriptor) {
        var ends: [Int32] = [-1, -1]
        #expect(calotype_sandbox_socket_pair(&ends) == 0)
        return (try #require(Descriptor(ends[0])), try #require(Descriptor(ends[1])))
    }

    @Test func `a signal does not count as a message and does not shorten the wait for one`() async throws {
        let (own, other) = try Self.pair()
        let outcome = SharedState<(hasMessage: Bool, duration: Duration)?>(nil)
        await Self.interrupting {
            let start = ContinuousClock.now
            let hasMessage = MessageSocket(socket: own).hasMessage(within: 100)
            outcome.withLock { $0 = (hasMessage, ContinuousClock.now - start) }
        }
        let (hasMessage, duration) = try #require(outcome.value)
        #expect(!hasMessage && duration >= .milliseconds(100), "\(duration)")
        withExtendedLifetime(other) {}
    }

    @Test func `a signal does not count as the end of a process`() async throws {
        let (own, other) = try Self.pair()
        let outcome = SharedState<(hasEnded: Bool, duration: Duration)?>(nil)
        await Self.interrupting {
            let start = ContinuousClock.now
            let hasEnded = calotype_sandbox_has_ended(own.number, 100) != 0
            outcome.withLock { $0 = (hasEnded, ContinuousClock.now - start) }
        }
        let (hasEnded, duration) = try #require(outcome.value)
        #expect(!hasEnded && duration >= .milliseconds(100), "\(duration)")
        withExtendedLifetime(other) {}
    }

    @Test func `a closed link reports whether messages were left unread`() throws {
        for isRead in [true, false] {
            let (own, other) = try Self.pair()
            var end: Descriptor? = other
            try MessageSocket(socket: own).send([1])
            if isRead, let end { _ = try MessageSocket(socket: end).receive() }
            end = nil
            _ = consume other
            withExtendedLifetime(end) {}
            let error = #expect(throws: MessageSocket.Failure.self) {
                try MessageSocket(socket: own).receive()
            }
            switch error {
            case .closed?: #expect(isRead)
            case .unread?: #expect(!isRead)
            default: Issue.record("\(String(describing: error))")
            }
        }
    }

    @Test(arguments: [true, false])
    func `an end with unread messages is known without receiving`(isRead: Bool) throws {
        let (own, other) = try Self.pair()
        var end: Descriptor? = other
        try MessageSocket(socket: own).send([1])
        if isRead, let end { _ = try MessageSocket(socket: end).receive() }
        #expect(!MessageSocket(socket: own).endedUnread)
        end = nil
        _ = consume other
        withExtendedLifetime(end) {}
        #expect(MessageSocket(socket: own).endedUnread == !isRead)
    }
}
