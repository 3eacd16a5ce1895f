import CalotypeSupport

#if HTTP
import CLibCurl
#endif

/// A command for the client's thread.
enum TransferCommand: Sendable {
    case start(TransferChannel)
    case cancel(TransferChannel)
    case resume(TransferChannel)
    case discard(TransferChannel, maxByteCount: Int, limit: Duration)
    /// Ends the thread once no transfer runs, or at once.
    case close(cutsOff: Bool)
}

/// The queue of commands for the client's thread, which wakes it for each.
final class TransferMailbox: Sendable {
    private struct State {
        var commands: [TransferCommand] = []
        /// The multi handle that the thread sleeps on; `nil` while it is awake or not running.
        var sleeping: Handle?
        var hasThread = false
        var isCutOff = false

        mutating func wake() {
            sleeping.take()?.wake()
        }
    }

    // Unchecked because a pointer is plain memory to the compiler; libcurl permits this one use of it on any
    // thread (`curl_multi_wakeup`), and the lock keeps the handle from going away meanwhile.
    @safe
    struct Handle: @unchecked Sendable {
        let multi: UnsafeMutableRawPointer

        func wake() {
            #if HTTP
            unsafe curl_multi_wakeup(multi)
            #endif
        }
    }

    private let state = Guarded(State())

    /// The result of posting a command.
    enum Receipt {
        case taken
        /// Taken, and the caller must start the thread.
        case needsThread
        /// The client has been cut off and starts no transfers any more.
        case refused
    }

    @discardableResult
    func post(_ command: TransferCommand) -> Receipt {
        state.withLock { state in
            switch command {
            case .start where state.isCutOff: return .refused
            case .close(cutsOff: true): state.isCutOff = true
            default: break
            }
            // Without a thread there is no transfer to cancel or resume.
            if !state.hasThread {
                guard case .start = command else { return .taken }
            }
            state.commands.append(command)
            state.wake()
            defer { state.hasThread = true }
            return state.hasThread ? .taken : .needsThread
        }
    }

    /// Returns the commands since the last call.
    func take() -> [TransferCommand] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Records that the thread is about to sleep; returns `false` if there are commands.
    func beginSleep(on multi: UnsafeMutableRawPointer) -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty else { return false }
            state.sleeping = unsafe Handle(multi: multi)
            return true
        }
    }

    func endSleep() {
        state.withLock { $0.sleeping = nil }
    }

    /// Records the end of the thread; returns `false` if there are commands.
    func endThread() -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty else { return false }
            state.hasThread = false
            return true
        }
    }

    /// Records that the thread could not be started; returns its commands.
    func refuseThread() -> [TransferCommand] {
        state.withLock { state in
            state.hasThread = false
            defer { state.commands = [] }
            return state.commands
        }
    }
}
