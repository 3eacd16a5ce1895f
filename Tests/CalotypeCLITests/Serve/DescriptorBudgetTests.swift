import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct DescriptorBudgetTests {
    private static let wanted = DescriptorBudget.Wanted(
        connectionCount: 1_024,
        adminConnectionCount: 64,
        fetchCount: 256,
        workerCount: 9,
        workerKindCount: 5
    )

    @Test(arguments: [1, 2, 16, 256], [0, 40, 96, 352, 1_024, 4_096, 8_192, 65_536])
    func `the shares sum to less than the limit, and each is positive`(coreCount: Int, above: Int) {
        let limit = DescriptorBudget.minLimit(coreCount: coreCount) + above
        let budget = DescriptorBudget(limit: limit, coreCount: coreCount, Self.wanted)
        let workers = budget.workerCount * Self.wanted.workerKindCount * DescriptorBudget.countOfWorker
        let fetches = budget.fetchCount * DescriptorBudget.countOfFetch
        let sum = workers + fetches + budget.connectionCount + budget.adminConnectionCount
        #expect(sum + DescriptorBudget.ownCount(coreCount: coreCount) <= limit, "\(budget)")
        #expect(budget.connectionCount > 0 && budget.fetchCount > 0 && budget.workerCount > 0)
    }

    @Test func `each event loop has its three descriptors`() {
        let few = DescriptorBudget(limit: 1_024, coreCount: 2, Self.wanted)
        let many = DescriptorBudget(limit: 1_024, coreCount: 64, Self.wanted)
        #expect(DescriptorBudget.ownCount(coreCount: 64) == 64 + 3 * 64)
        #expect(many.connectionCount < few.connectionCount)
    }

    @Test func `a sufficient limit changes nothing and logs no warning`() {
        let budget = DescriptorBudget(limit: 8_192, Self.wanted)
        #expect(budget.connectionCount == 1_024 && budget.fetchCount == 256 && budget.workerCount == 9)
        #expect(budget.adminConnectionCount == 64 && budget.warning(Self.wanted) == nil)
    }

    @Test func `a connection limit above the descriptor limit is capped with a warning`() throws {
        var wanted = Self.wanted
        wanted.connectionCount = 1_000_000
        let budget = DescriptorBudget(limit: 1_024, wanted)
        #expect(budget.connectionCount < 1_024)
        let warning = try #require(budget.warning(wanted))
        #expect(warning.contains("at most \(budget.connectionCount) instead of 1000000"))
        #expect(warning.contains("LimitNOFILE"))
    }
}
