import CalotypeSupport

/// How a worker ends: with its program.
enum WorkerEnd {
    /// What a call gives; where it fails, nobody is there to work for any more.
    static func ofProcess<Value>(_ call: () throws(Link.Failure) -> Value) -> Value {
        do throws(Link.Failure) { return try call() } catch { end() }
    }

    static func end() -> Never { _exit(0) }
}
