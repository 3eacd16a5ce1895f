/// Runs work concurrently and delivers its results in order.
enum OrderedWork {
    /// Runs `work` on each item, at most `maxConcurrency` at once, and calls `deliver` with each result in
    /// the order of the items, as soon as the earlier ones are delivered.
    ///
    /// - Throws: The first error of `work` or `deliver`, after running work is cancelled and awaited.
    static func run<Item: Sendable, Result: Sendable>(
        _ items: [Item],
        maxConcurrency: Int,
        work: @escaping @Sendable (Item) async throws -> Result,
        deliver: (Result) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (index: Int, result: Result).self) { group in
            var startedCount = 0
            var deliveredCount = 0
            var early: [Int: Result] = [:]
            while deliveredCount < items.count {
                while startedCount < items.count, startedCount - deliveredCount - early.count < maxConcurrency
                {
                    let index = startedCount
                    group.addTask { (index, try await work(items[index])) }
                    startedCount += 1
                }
                guard let next = try await group.next() else { return }
                early[next.index] = next.result
                while let result = early.removeValue(forKey: deliveredCount) {
                    try await deliver(result)
                    deliveredCount += 1
                }
            }
        }
    }
}
