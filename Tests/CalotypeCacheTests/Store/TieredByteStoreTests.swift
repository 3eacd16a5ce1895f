import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing

@Suite(.blocking) struct TieredByteStoreTests {
    private let near = FakeByteStore(name: "near")
    private let far = FakeByteStore(name: "far")
    private let time = ManualTimeSource()

    private func tiers(
        _ reading: TieredByteStore.Reading = .nearestFirst,
        _ writing: TieredByteStore.Writing = .first,
        _ removing: TieredByteStore.Removing = .all
    ) -> TieredByteStore {
        TieredByteStore(
            [near, far],
            reading: reading,
            writing: writing,
            removing: removing,
            timeSource: time
        )
    }

    private static let rules: [(TieredByteStore.Reading, TieredByteStore.Writing)] = [
        (.nearestFirst, .first), (.readThrough, .first), (.nearestFirst, .writeThrough),
        (.readThrough, .writeThrough),
    ]

    @Test(arguments: rules) func `tiers are a byte store`(
        _ rule: (TieredByteStore.Reading, TieredByteStore.Writing)
    ) async throws {
        try await ByteStoreConformance(
            TieredByteStore([near, FakeByteStore()], reading: rule.0, writing: rule.1)
        ).run()
    }

    @Test func `tiers of disk caches are a byte store, also written to behind`() async throws {
        let (first, second) = (try ScratchFolder(), try ScratchFolder())
        let store = TieredByteStore([
            try DiskCache(.init(root: first.path)), try DiskCache(.init(root: second.path)),
        ])
        try await ByteStoreConformance(store).run()
    }

    @Test func `reading nearest first fills nothing, reading through fills what is nearer`() async throws {
        let options = BlobOptions(metadata: Data([1]))
        try await far.store(testBytes(40), forKey: "k", options: options)
        #expect(try await tiers().blob(forKey: "k")?.data == testBytes(40))
        #expect(near.keys.isEmpty)
        #expect(try await tiers(.readThrough).blob(forKey: "k")?.data == testBytes(40))
        #expect(try await near.blob(forKey: "k")?.metadata == Data([1]))
        #expect(try await tiers(.only(1)).blob(forKey: "k") != nil)
        _ = try await near.removeAll()
        #expect(try await tiers(.only(0)).blob(forKey: "k") == nil)
    }

    @Test func `a store that fails is passed over, and told of where no other has the key`() async throws {
        try await far.store(testBytes(40), forKey: "k", options: BlobOptions())
        near.fail(with: CocoaError(.fileReadUnknown))
        #expect(try await tiers(.readThrough).blob(forKey: "k") != nil)
        await #expect(throws: CocoaError.self) { try await tiers().blob(forKey: "other") }
    }

    @Test(arguments: [
        (TieredByteStore.Writing.first, ["k"], []), (.writeThrough, ["k"], ["k"]), (.only(1), [], ["k"]),
        (.writeBack, ["k"], ["k"]),
    ])
    func `each rule of writing writes where it says`(
        _ writing: TieredByteStore.Writing,
        _ nearKeys: [String],
        _ farKeys: [String]
    ) async throws {
        let store = tiers(.nearestFirst, writing)
        try await store.store(testBytes(40), forKey: "k", options: BlobOptions())
        try await store.flush()
        #expect((near.keys, far.keys) == (nearKeys, farKeys))
    }

    @Test func `removing from one leaves the other`() async throws {
        let store = tiers(.nearestFirst, .writeThrough, .only(0))
        try await store.store(testBytes(40), forKey: "k", options: BlobOptions())
        #expect(try await store.removeBlob(forKey: "k"))
        #expect((near.keys, far.keys) == ([], ["k"]))
    }

    @Test func `what is written behind fails behind, and the next flush tells`() async throws {
        let store = tiers(.nearestFirst, .writeBack)
        far.fail(with: CocoaError(.fileWriteUnknown))
        try await store.store(testBytes(40), forKey: "k", options: BlobOptions())
        await #expect(throws: CocoaError.self) { try await store.flush() }
        far.fail(with: nil)
        try await store.flush()
        #expect(near.keys == ["k"])
    }

    @Test func `what is removed is not written behind after that`() async throws {
        for round in 0..<50 {
            let store = tiers(.nearestFirst, .writeBack)
            async let first: Void = store.store(testBytes(40), forKey: "k", options: BlobOptions())
            try await first
            _ = round.isMultiple(of: 2) ? try await store.removeBlob(forKey: "k") : false
            if !round.isMultiple(of: 2) { try await store.removeAll() }
            try await store.flush()
            #expect(near.keys.isEmpty && far.keys.isEmpty)
        }
    }

    @Test func `of many writes of one key the last stays, near and far`() async throws {
        let store = tiers(.nearestFirst, .writeBack)
        for number in 0..<200 {
            try await store.store(testBytes(number + 1), forKey: "k", options: BlobOptions())
        }
        try await store.flush()
        #expect(try await far.blob(forKey: "k")?.data == testBytes(200))
        try await store.close()
        #expect(near.isClosed && far.isClosed)
    }

    @Test func `a store that is read-only is never written to`() async throws {
        let fixed = FakeByteStore(name: "fixed", isWritable: false)
        let store = TieredByteStore([fixed, near], reading: .readThrough, writing: .writeThrough)
        try await store.store(testBytes(40), forKey: "k", options: BlobOptions())
        _ = try await store.blob(forKey: "k")
        try await store.removeAll()
        #expect(fixed.operations.allSatisfy { $0.hasPrefix("blob") })
        #expect(!TieredByteStore([fixed]).isWritable)
    }

    @Test func `originals and variants have a store each`() async throws {
        let store = RoutedByteStore(originals: near, variants: far)
        let source = "https://example.org/a.png"
        let keys = [
            ImageKey(source), ImageKey(source: source, variant: "fit=4x"), ImageKey(source + "#headers=ab"),
            ImageKey(source: source + "#headers=ab", variant: "fit=4x"),
        ]
        #expect(keys.map(\.isVariant) == [false, true, false, true])
        for key in keys { try await store.store(testBytes(4), forKey: key.rawValue, options: BlobOptions()) }
        #expect(near.keys == [keys[0], keys[2]].map(\.rawValue))
        #expect(far.keys == [keys[1], keys[3]].map(\.rawValue).sorted())
        #expect(try await store.removeBlobs { _ in true } == 4)
    }

    @Test func `routes are a byte store`() async throws {
        let store = RoutedByteStore([near, far]) { $0.utf8.count % 3 }
        try await ByteStoreConformance(store).run()
    }
}
