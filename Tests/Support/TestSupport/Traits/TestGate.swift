import CalotypeSupport

/// Admits tests: those of one part at a time, and of these as many as its width.
///
/// A part keeps the gate while tests of it wait. A waiting test blocks no thread.
package final class TestGate: Sendable {
    package struct Part: Hashable, Sendable {
        /// The name of the test target, for example.
        package let name: String
        /// The number of tests that run at the same time.
        package let width: Int

        package init(_ name: String, width: Int) {
            self.name = name
            self.width = width
        }
    }

    /// The gates that admitted the task, which therefore waits for no other permit of them.
    @TaskLocal private static var entered: Set<ObjectIdentifier> = []

    private let queue = Guarded(Queue())

    package init() {}

    /// Runs a body when the gate admits it.
    ///
    /// - Parameters:
    ///   - part: The part of the body.
    ///   - name: The name of the test, for the message if it exceeds the time limit.
    ///   - limit: The time limit, which begins with the admission: a process with a longer test is stopped.
    ///   - body: The test.
    /// - Returns: The result of the body.
    package func run<Value>(
        _ part: Part,
        name: String = "",
        atMost limit: Duration = .seconds(7_200),
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let own = ObjectIdentifier(self)
        guard !Self.entered.contains(own) else { return try await body() }
        let _: Void = await handedOver { admit in
            change { $0.join(part) { admit(()) } }
        }
        let alarm = Alarms.shared.set(after: limit) {
            fatalError("the test “\(name)” has not ended within \(limit)")
        }
        defer {
            Alarms.shared.cancel(alarm)
            change { $0.runningCount -= 1 }
        }
        return try await Self.$entered.withValue(Self.entered.union([own])) { try await body() }
    }

    private func change(_ body: (inout Queue) -> Void) {
        let admitted = queue.withLock { queue in
            body(&queue)
            return queue.admitNext()
        }
        for admit in admitted { admit() }
    }

    private struct Queue {
        typealias Admission = @Sendable () -> Void

        var runningCount = 0
        private var part: Part?
        private var waiting: [Part: [Admission]] = [:]
        /// The parts with waiting tests, in the order of their first one.
        private var order: [Part] = []

        mutating func join(_ part: Part, _ admission: @escaping Admission) {
            if waiting[part] == nil { order.append(part) }
            waiting[part, default: []].append(admission)
        }

        /// Removes and returns the tests that may run now.
        mutating func admitNext() -> ArraySlice<Admission> {
            if runningCount == 0, part.flatMap({ waiting[$0] }) == nil { part = order.first }
            guard let part, let tests = waiting[part] else { return [] }
            let next = tests.prefix(part.width - runningCount)
            runningCount += next.count
            waiting[part] = next.count < tests.count ? Array(tests.dropFirst(next.count)) : nil
            if waiting[part] == nil { order.removeAll { $0 == part } }
            return next
        }
    }
}
