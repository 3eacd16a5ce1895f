/// The tasks that wait for a change of guarded state; part of that state.
///
/// A task enters while it holds the lock, in the critical section that finds its condition unmet, and then
/// waits. Its entry is removed under the lock, by a change that meets the condition or by its cancellation,
/// and its continuation is resumed by the code that has removed it: exactly once, outside the lock. An entry
/// may be removed before its task is suspended; the wait then returns at once.
package struct WaitList<Subject: Sendable>: Sendable {
    package typealias Waiter = CheckedContinuation<Void, Never>

    private struct Entry: Sendable {
        let subject: Subject
        /// `nil` until the task is suspended.
        var waiter: Waiter?
    }

    private var entries: [Int: Entry] = [:]
    private var lastNumber = 0

    /// Creates an empty list.
    package init() {}

    /// The number of entries.
    package var count: Int { entries.count }

    /// Adds an entry for a task, which must then call ``Guarded/wait(_:in:)`` with the returned number.
    package mutating func enter(_ subject: Subject) -> Int {
        lastNumber += 1
        entries[lastNumber] = Entry(subject: subject)
        return lastNumber
    }

    /// Removes the entries that a condition holds for, and returns their waiters in the order of their
    /// arrival, to be resumed outside the lock.
    package mutating func take(where isDue: (Subject) -> Bool = { _ in true }) -> [Waiter] {
        guard !entries.isEmpty else { return [] }
        let numbers = entries.filter { isDue($0.value.subject) }.keys.sorted()
        return numbers.compactMap { take($0) }
    }

    /// Removes an entry; returns its waiter, to be resumed outside the lock, if the task is suspended.
    package mutating func take(_ number: Int) -> Waiter? { entries.removeValue(forKey: number)?.waiter }

    /// Sets the waiter of an entry; returns false if the entry has been removed.
    fileprivate mutating func suspend(_ number: Int, _ waiter: Waiter) -> Bool {
        guard entries[number] != nil else { return false }
        entries[number]?.waiter = waiter
        return true
    }
}

extension WaitList<Void> {
    /// Adds an entry for a task, which must then call ``Guarded/wait(_:in:)`` with the returned number.
    package mutating func enter() -> Int { enter(()) }
}

extension Guarded {
    /// Suspends the task until its entry in a list is removed; a cancellation removes it.
    package func wait<Subject>(
        _ number: Int,
        in list: any WritableKeyPath<State, WaitList<Subject>> & Sendable
    ) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isSuspended = withLock { $0[keyPath: list].suspend(number, waiter) }
                if !isSuspended { waiter.resume() }
            }
        } onCancel: {
            withLock { $0[keyPath: list].take(number) }?.resume()
        }
    }
}
