internal import Tracing

/// The trace of the calling task, for work that another task does for it.
struct CallerTrace: Sendable {
    private let context = ServiceContext.current

    /// Runs a body as a part of the trace.
    func carry<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
        await ServiceContext.$current.withValue(context) { await body() }
    }
}
