/// Suspends the task until a thread hands over a value, which must happen exactly once.
///
/// Like `withCheckedContinuation`, but the value passes under a lock. A continuation orders writes before its
/// resumption and reads after it. If the resumption precedes the suspension, however, the runtime does not
/// report this order to the thread sanitizer (`swift_continuation_await` in
/// `stdlib/public/Concurrency/Task.cpp`), which then reports a race that does not exist.
///
/// - Parameter start: Receives the closure that hands the value over; runs before the task suspends.
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
