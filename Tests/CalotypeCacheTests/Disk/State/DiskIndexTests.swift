import CalotypeCache
import CalotypeCore
import CalotypeTesting
import TestSupport
import Testing

@Suite(.blocking) struct DiskIndexTests {
    private func entry(_ number: Int, byteCount: Int = 10, at time: Int) -> DiskIndexEntry {
        let time = Timestamp(nanosecondsSince1970: Int64(time))
        return DiskIndexEntry(
            name: EntryName(key: "\(number)"),
            byteCount: byteCount,
            accessedAt: time,
            identity: FileIdentity(inode: UInt64(number), writtenAt: time)
        )
    }

    @Test func `the least recently used entry is evicted first`() {
        var index = DiskIndex(policy: LRUDiskPolicy())
        for number in 0..<5 { index.insert(entry(number, at: number)) }
        index.touch(EntryName(key: "0"), at: Timestamp(nanosecondsSince1970: 9))
        let evicted = index.evict(toByteCount: 30, count: .max)
        #expect(evicted.map(\.name) == [EntryName(key: "1"), EntryName(key: "2")])
        #expect(index.usage == StoreUsage(entryCount: 3, byteCount: 30))
        #expect(index.checkInvariants())
    }

    @Test func `a deferred entry is evicted after the others`() {
        var index = DiskIndex(policy: LRUDiskPolicy())
        for number in 0..<3 { index.insert(entry(number, at: number)) }
        index.putOff(EntryName(key: "0"), to: 10)
        let names = index.evict(toByteCount: 0, count: .max).map(\.name)
        #expect(names == ["1", "2", "0"].map(EntryName.init(key:)))
    }

    @Test func `an entry written anew is evicted at its own time despite its deferral`() {
        var index = DiskIndex(policy: LRUDiskPolicy())
        for number in 0..<3 { index.insert(entry(number, at: number)) }
        index.putOff(EntryName(key: "0"), to: 10)
        index.insert(entry(0, at: 5))
        index.insert(entry(3, at: 7))
        let names = index.evict(toByteCount: 0, count: .max).map(\.name)
        #expect(names == ["1", "2", "0", "3"].map(EntryName.init(key:)))
    }

    @Test func `portions visit every entry once, and report which ones a walk has seen`() {
        var index = DiskIndex(policy: LRUDiskPolicy())
        for number in 0..<100 { index.insert(entry(number, at: number)) }
        for number in 40..<50 { index.remove(EntryName(key: "\(number)")) }
        index.beginWalk()
        for number in 0..<20 { index.merge(entry(number, at: number)) }
        index.insert(entry(200, at: 200))
        var (seen, unseen): (Set<EntryName>, Set<EntryName>) = ([], [])
        var next: Int? = 0
        while let start = next {
            next = index.forEach(from: start, count: 7) { entry, isSeen in
                #expect(!seen.contains(entry.name) && !unseen.contains(entry.name))
                if isSeen { seen.insert(entry.name) } else { unseen.insert(entry.name) }
            }
        }
        #expect(seen == Set((Array(0..<20) + [200]).map { EntryName(key: "\($0)") }))
        #expect(unseen == Set((Array(20..<40) + Array(50..<100)).map { EntryName(key: "\($0)") }))
    }

    @Test func `a scan never lowers the known access time of an entry`() {
        var index = DiskIndex(policy: LRUDiskPolicy())
        index.insert(entry(0, at: 50))
        index.merge(entry(0, byteCount: 20, at: 10))
        #expect(index.entry(EntryName(key: "0"))?.accessedAt == Timestamp(nanosecondsSince1970: 50))
        #expect(index.byteCount == 20)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the index agrees with a naive list`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var index = DiskIndex(policy: LRUDiskPolicy())
        var naive: [EntryName: DiskIndexEntry] = [:]
        for step in 1...2000 {
            let number = Int.random(in: 0..<60, using: &generator)
            let name = EntryName(key: "\(number)")
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let new = entry(number, byteCount: .random(in: 1...100, using: &generator), at: step)
                index.insert(new)
                naive[name] = new
            case 5..<8:
                index.touch(name, at: Timestamp(nanosecondsSince1970: Int64(step)))
                naive[name]?.accessedAt = Timestamp(nanosecondsSince1970: Int64(step))
            case 8:
                #expect(index.remove(name) == naive.removeValue(forKey: name))
            default:
                let limit = Int.random(in: 500...2500, using: &generator)
                let count = Int.random(in: 10...60, using: &generator)
                var expected: [EntryName] = []
                for oldest in naive.values.sorted(by: { $0.accessedAt < $1.accessedAt }) {
                    let total = naive.values.reduce(0) { $0 + $1.byteCount }
                    guard total > limit || naive.count > count else { break }
                    naive[oldest.name] = nil
                    expected.append(oldest.name)
                }
                let evicted = index.evict(toByteCount: limit, count: count)
                #expect(evicted.map(\.name) == expected, "step \(step), seed \(seed)")
            }
            #expect(index.count == naive.count)
            if step % 100 == 0 { #expect(index.checkInvariants(), "step \(step), seed \(seed)") }
        }
        #expect(Set(index.entries) == Set(naive.values))
    }
}
