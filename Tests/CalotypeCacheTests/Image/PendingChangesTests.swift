import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct PendingChangesTests {
    private let changes = PendingChanges()

    /// Whether a query that spans `happens` remains undisturbed.
    private func survives(_ happens: () -> Void) -> Bool {
        let query = changes.beginQuery(of: "k")
        defer { changes.end(query) }
        happens()
        return changes.isUndisturbed(query)
    }

    @Test func `a query is disturbed only by changes of its key`() {
        #expect(survives {})
        #expect(!survives { changes.note(.key("k")) })
        #expect(survives { changes.note(.key("l")) })
        #expect(!survives { changes.note(.all) })
        #expect(!survives { changes.note(.keys { $0 == "k" }) })
        #expect(survives { changes.note(.keys { $0 == "l" }) })
    }

    @Test(arguments: [PendingChanges.Scope.key("k"), .all, .keys { $0 == "k" }])
    func `a query that starts during a change of its key is disturbed, and a later one is not`(
        scope: PendingChanges.Scope
    ) {
        let change = changes.begin(scope)
        let query = changes.beginQuery(of: "k")
        changes.end(change)
        #expect(!changes.isUndisturbed(query))
        #expect(survives {})
        changes.end(query)
        #expect(survives {})
    }

    @Test func `a key counts as being removed while any removal of it lasts`() {
        let first = changes.begin(.key("k"), emptiesStores: true)
        let second = changes.begin(.key("k"), emptiesStores: true)
        let third = changes.begin(.keys { $0 == "l" }, emptiesStores: true)
        let fourth = changes.begin(.all)
        changes.end(first)
        #expect(changes.isBeingRemoved("k"))
        #expect(changes.isBeingRemoved("l"))
        #expect(!changes.isBeingRemoved("m"))
        changes.end(second)
        changes.end(third)
        #expect(!changes.isBeingRemoved("k"))
        #expect(!changes.isBeingRemoved("l"))
        changes.end(fourth)
    }

    @Test func `a store does not count as a removal`() {
        let change = changes.begin(.key("k"))
        #expect(!changes.isBeingRemoved("k"))
        changes.end(change)
    }

    @Test func `a load is outdated once a later one has stored its result`() {
        let (first, second) = (changes.beginQuery(of: "k"), changes.beginQuery(of: "k"))
        let other = changes.beginQuery(of: "l")
        changes.noteStored(by: second)
        #expect(changes.isOutdated(first))
        #expect(!changes.isOutdated(second))
        #expect(!changes.isOutdated(other))
        changes.noteStored(by: first)
        #expect(!changes.isOutdated(second))
        for query in [first, second, other] { changes.end(query) }
        let later = changes.beginQuery(of: "k")
        #expect(!changes.isOutdated(later))
        changes.end(later)
    }

    @Test func `no two removals of a key have the same number`() {
        let numbers = (0..<2).map { _ in
            let query = changes.beginQuery(of: "k")
            defer { changes.end(query) }
            changes.end(changes.begin(.key("k"), emptiesStores: true))
            return changes.renewal(of: "k")
        }
        #expect(numbers[0] < numbers[1])
    }

    @Test func `a replacement counts like a removal for those that share work, and revokes no load`() {
        let query = changes.beginQuery(of: "k")
        #expect(changes.renewal(of: "k") == 0)
        changes.noteStored(by: query)
        #expect(changes.renewal(of: "k") == 0)
        changes.noteStored(by: query, isReplacement: true)
        #expect(changes.renewal(of: "k") > 0)
        #expect(!changes.isRevoked(query))
        changes.end(query)
        #expect(changes.renewal(of: "k") == 0)
    }
}
