import CalotypeSupport

/// A value that contains its key, and its number in the order of insertions.
package final class ModelValue: Sendable {
    package let key: Int
    package let number: Int
    private let alive: AliveCount

    package init(key: Int, number: Int, alive: AliveCount) {
        self.key = key
        self.number = number
        self.alive = alive
        alive.add(1)
    }

    deinit {
        alive.add(-1)
    }
}

package final class AliveCount: Sendable {
    private let number = Guarded(0)

    package init() {}

    package var value: Int { number.withLock { $0 } }

    fileprivate func add(_ difference: Int) {
        number.withLock { $0 += difference }
    }
}

/// The removals reported by a cache since the last look.
final class RemovalRecord: Sendable {
    private let removals = Guarded<[(key: Int, number: Int)]>([])

    func append(_ key: Int, _ value: ModelValue) {
        removals.withLock { $0.append((key, value.number)) }
    }

    func take() -> [(key: Int, number: Int)] {
        removals.withLock { removals in
            defer { removals.removeAll(keepingCapacity: true) }
            return removals
        }
    }
}
