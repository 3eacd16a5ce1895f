import CalotypeSupport

/// A worker that replies to each job before it has read the input, which then stays in the pipe.
public enum HastyWorker {
    /// Reports an active sandbox, and then replies to every message.
    public static func run() -> Never {
        _ = Forged.receive()
        Forged.send(Forged.locked)
        while true {
            _ = Forged.receive()
            Forged.send(Forged.failure("corrupt", "nothing was looked at"))
        }
    }
}
