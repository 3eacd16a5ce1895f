public import CalotypeCache
internal import FoundationEssentials

/// Checks that a byte store keeps what the protocol promises; for tests of stores of one's own.
///
/// Run it on an empty, writable store. It throws at the first promise that is broken, and leaves the store
/// closed.
public struct ByteStoreConformance: Sendable {
    /// A promise that a store has broken.
    public struct Breach: Error, Hashable, Sendable, CustomStringConvertible {
        /// The promise, as a sentence.
        public let promise: String

        /// The promise, with the word for what happened to it.
        public var description: String { "broken: \(promise)" }
    }

    private let store: any ByteStore

    /// Creates a check of an empty store.
    public init(_ store: any ByteStore) {
        self.store = store
    }

    /// Checks everything.
    ///
    /// - Throws: ``Breach``, or what the store throws where it must not.
    public func run() async throws {
        try await checkMiss()
        try await checkRoundTrips()
        try await checkReplacement()
        try await checkRemoval()
        try await checkOrder()
        try await checkClosing()
    }

    private func expect(_ promise: String, _ isKept: Bool) throws {
        guard isKept else { throw Breach(promise: promise) }
    }

    private func checkMiss() async throws {
        try expect("an absent key is nil, not an error", try await store.blob(forKey: "absent") == nil)
        try expect("an absent key is not contained", try await !store.contains("absent"))
        try expect("removing an absent key says so", try await !store.removeBlob(forKey: "absent"))
        try expect("an empty store uses nothing", try await store.usage() == StoreUsage())
    }

    private func checkRoundTrips() async throws {
        let keys = [
            "a", "", "https://example.org/ä b.png?q=1#f", String(repeating: "k", count: 2_000), "nul\0nul",
        ]
        for (index, key) in keys.enumerated() {
            let data = Data((0..<index * 1_000).map { UInt8(truncatingIfNeeded: $0 &+ index) })
            let metadata = Data([UInt8(index)])
            try await store.store(data, forKey: key, options: BlobOptions(metadata: metadata))
            let blob = try await store.blob(forKey: key)
            try expect("bytes come back as they were stored", blob?.data == data)
            try expect("metadata comes back as it was stored", blob?.metadata == metadata)
            try expect("what is stored is contained", try await store.contains(key))
        }
        let usage = try await store.usage()
        try expect("each key is one entry", usage.entryCount == keys.count)
        try expect("usage counts at least the payloads", usage.byteCount >= 10_000)
    }

    private func checkReplacement() async throws {
        let count = try await store.usage().entryCount
        try await store.store(Data([1]), forKey: "a", options: BlobOptions())
        try await store.store(Data([2, 3]), forKey: "a", options: BlobOptions())
        let blob = try await store.blob(forKey: "a")
        try expect("a later store replaces an earlier one", blob?.data == Data([2, 3]))
        try expect("metadata does not outlive its entry", blob?.metadata == Data())
        try expect("a replaced entry counts once", try await store.usage().entryCount == count)
    }

    private func checkRemoval() async throws {
        try expect("removing tells that something was there", try await store.removeBlob(forKey: "a"))
        try expect("what was removed is a miss", try await store.blob(forKey: "a") == nil)
        let rest = try await store.usage()
        try expect("removing everything tells how much it was", try await store.removeAll() == rest)
        try expect("after removing everything nothing is used", try await store.usage() == StoreUsage())
    }

    private func checkOrder() async throws {
        for round in 0..<20 {
            try await store.store(Data([UInt8(round)]), forKey: "o", options: BlobOptions())
            try expect(
                "a read sees the write before it",
                try await store.blob(forKey: "o")?.data == Data([UInt8(round)])
            )
        }
    }

    private func checkClosing() async throws {
        try await store.close()
        do {
            try await store.store(Data([1]), forKey: "late", options: BlobOptions())
        } catch {
            return
        }
        throw Breach(promise: "a closed store throws")
    }
}
