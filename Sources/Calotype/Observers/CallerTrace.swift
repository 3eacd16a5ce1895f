internal import Tracing

/// The trace of the calling task, for work that a task of its own does for it.
struct CallerTrace: Sendable {
    private let context = ServiceContext.current

    /// Does something as a part of the trace.
    func carry<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
        await ServiceContext.$current.withValue(context) { await body() }
    }
}
