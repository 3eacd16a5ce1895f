import CalotypeSupport

#if HTTP
import CLibCurl
#endif

/// What is asked of the client's thread.
enum TransferCommand: Sendable {
    case start(TransferChannel)
    case cancel(TransferChannel)
    case resume(TransferChannel)
    case discard(TransferChannel, byteCountMax: Int, limit: Duration)
    /// End the thread once nothing runs, or at once.
    case close(cutsOff: Bool)
}

/// Where the client's thread finds its commands, and is woken for them.
final class TransferMailbox: Sendable {
    private struct State {
        var commands: [TransferCommand] = []
        /// The multi handle that the thread sleeps on; `nil` while it is awake or there is no thread.
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

    /// What becomes of a command.
    enum Receipt {
        case taken
        /// Taken, and the caller is to start the thread.
        case needsThread
        /// Everything has been cut off, and nothing starts any more.
        case refused
    }

    /// Adds a command.
    @discardableResult
    func post(_ command: TransferCommand) -> Receipt {
        state.withLock { state in
            switch command {
            case .start where state.isCutOff: return .refused
            case .close(cutsOff: true): state.isCutOff = true
            default: break
            }
            // What has no thread has nothing to cancel or to resume.
            if !state.hasThread {
                guard case .start = command else { return .taken }
            }
            state.commands.append(command)
            state.wake()
            defer { state.hasThread = true }
            return state.hasThread ? .taken : .needsThread
        }
    }

    /// The commands since the last call.
    func take() -> [TransferCommand] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Says that the thread goes to sleep; `false` where there is something to do.
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

    /// Lets the thread end; `false` where there is something to do.
    func endThread() -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty else { return false }
            state.hasThread = false
            return true
        }
    }

    /// Takes back that there is a thread, and the commands that it was to obey.
    func refuseThread() -> [TransferCommand] {
        state.withLock { state in
            state.hasThread = false
            defer { state.commands = [] }
            return state.commands
        }
    }
}
