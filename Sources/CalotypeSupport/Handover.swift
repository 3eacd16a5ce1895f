/// Suspends the task until a thread has handed a value over, which must happen exactly once.
///
/// As `withCheckedContinuation`, but the value passes under a lock. A continuation orders what was written
/// before its resumption and what is read after it, yet where the resumption comes before the task has
/// suspended, the runtime does not tell the thread sanitizer so (`swift_continuation_await` in
/// `stdlib/public/Concurrency/Task.cpp`), and it reports a race where there is none.
///
/// - Parameter start: Gets the closure that hands the value over; runs before the task suspends.
/// - Returns: The value.
package func handedOver<Value: Sendable>(
    _ start: (_ handOver: @escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    let handover = Handover<Value>()
    await withCheckedContinuation { continuation in
        start { value in
            handover.value.withLock { $0 = value }
            continuation.resume()
        }
    }
    guard let value = handover.value.withLock({ $0 }) else {
        preconditionFailure("a task resumes only after its value has been handed over")
    }
    return value
}

private final class Handover<Value: Sendable>: Sendable {
    let value = Guarded<Value?>(nil)
}
