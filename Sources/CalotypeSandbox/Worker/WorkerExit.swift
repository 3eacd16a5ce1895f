import CalotypeSupport

enum WorkerExit {
    /// Returns the result of a call; exits if it fails, because the program is gone.
    static func ofProcess<Value>(_ call: () throws(MessageSocket.Failure) -> Value) -> Value {
        do throws(MessageSocket.Failure) { return try call() } catch { end() }
    }

    static func end() -> Never { _exit(0) }
}
