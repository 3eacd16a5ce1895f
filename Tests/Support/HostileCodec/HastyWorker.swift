import CalotypeSupport

/// A worker that answers each job before it has read the input, which then stays in the pipe.
public enum HastyWorker {
    /// Says that it is locked in, and then answers every message.
    public static func run() -> Never {
        _ = Forged.receive()
        Forged.send(Forged.locked)
        while true {
            _ = Forged.receive()
            Forged.send(Forged.failure("corrupt", "nothing was looked at"))
        }
    }
}
