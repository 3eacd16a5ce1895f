public import CalotypeCache
public import FoundationEssentials

/// A check that a byte store conforms to its protocol, for tests of custom stores.
///
/// Run it on an empty writable store, or with the contents of a read-only store. It throws at the first
/// broken promise, and leaves the store closed.
public struct ByteStoreConformance: Sendable {
    /// A broken promise of a store.
    public struct Breach: Error, Hashable, Sendable, CustomStringConvertible {
        /// The promise, as a sentence.
        public let promise: String

        /// The promise, prefixed with `broken`.
        public var description: String { "broken: \(promise)" }
    }

    private let store: any ByteStore

    /// Creates a check of a store.
    public init(_ store: any ByteStore) {
        self.store = store
    }

    /// Checks an empty writable store.
    ///
    /// - Throws: ``Breach``, or an unexpected error of the store.
    public func run() async throws {
        try expect("a writable store reports that it is writable", store.isWritable)
        try await checkMiss()
        try expect("the usage of an empty store is zero", try await store.usage() == StoreUsage())
        try await checkRoundTrips()
        try await checkReplacement()
        try await checkRemoval()
        try await checkOrder()
        try await checkOrderOfWhatIsUnderWay()
        try await checkRenewal()
        try await checkFlushing()
        try await checkClosing()
    }

    /// Checks a read-only store: it serves its contents, refuses every change, and is unchanged afterwards.
    ///
    /// - Parameter contents: Some of the store's contents, at least one entry; the key `absent` must not
    ///   exist.
    /// - Throws: ``Breach``, or an unexpected error of the store.
    public func runReadOnly(holding contents: [String: Data]) async throws {
        try expect("a read-only store reports that it is not writable", !store.isWritable)
        try await checkMiss()
        try await checkContents(contents)
        for key in contents.keys.sorted() {
            try await expectRefusal("storing") {
                try await store.store(Data([1]), forKey: key, options: BlobOptions())
            }
            try await expectRefusal("renewing") {
                try await store.renewBlob(forKey: key, options: BlobOptions())
            }
            try await expectRefusal("removing") { try await store.removeBlob(forKey: key) }
        }
        try await expectRefusal("storing") {
            try await store.store(Data([1]), forKey: "absent", options: BlobOptions())
        }
        try await expectRefusal("clearing") { try await store.removeAll() }
        try await expectRefusal("removing by key") { try await store.removeBlobs { _ in true } }
        let removed = try await store.removeExpired()
        try expect("a read-only store removes no expired entries", removed == StoreUsage())
        _ = try await store.usage()
        try await store.flush()
        try await checkContents(contents)
        try await checkMiss()
        try await store.close()
    }

    private func checkContents(_ contents: [String: Data]) async throws {
        for (key, data) in contents {
            let blob = try await store.blob(forKey: key)
            try expect("bytes come back as they were stored", blob?.data == data)
            try expect("a stored key is contained", try await store.contains(key))
            try await checkInfo(key)
        }
    }

    private func checkInfo(_ key: String) async throws {
        let (info, blob) = (try await store.blobInfo(forKey: key), try await store.blob(forKey: key))
        try expect("the size of an entry is that of its bytes", info?.byteCount == blob?.data.count)
        try expect("metadata can be read alone", info?.metadata == blob?.metadata)
        try expect("the date of an entry can be read alone", info?.writtenAt == blob?.writtenAt)
    }

    private func expectRefusal(_ deed: String, _ change: () async throws -> Any) async throws {
        do {
            _ = try await change()
        } catch {
            return
        }
        throw Breach(promise: "\(deed) throws if a store is read-only")
    }

    private func expect(_ promise: String, _ isKept: Bool) throws {
        guard isKept else { throw Breach(promise: promise) }
    }

    private func checkMiss() async throws {
        try expect("an absent key is nil, not an error", try await store.blob(forKey: "absent") == nil)
        try expect("an absent key is not contained", try await !store.contains("absent"))
        try expect("an absent key has no information", try await store.blobInfo(forKey: "absent") == nil)
    }

    private func checkRoundTrips() async throws {
        let keys = [
            "a", "", "https://example.org/ä b.png?q=1#f", String(repeating: "k", count: 2_000), "nul\0nul",
            "one text, two keys: \u{E9}", "one text, two keys: e\u{301}",
        ]
        for (index, key) in keys.enumerated() {
            let data = Data((0..<index * 1_000).map { UInt8(truncatingIfNeeded: $0 &+ index) })
            let metadata = Data([UInt8(index)])
            try await store.store(data, forKey: key, options: BlobOptions(metadata: metadata))
            let blob = try await store.blob(forKey: key)
            try expect("bytes come back as they were stored", blob?.data == data)
            try expect("metadata comes back as it was stored", blob?.metadata == metadata)
            try expect("a stored key is contained", try await store.contains(key))
            try await checkInfo(key)
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
        try expect("removing an absent key returns false", try await !store.removeBlob(forKey: "absent"))
        try expect("removing an existing key returns true", try await store.removeBlob(forKey: "a"))
        try expect("a removed key is a miss", try await store.blob(forKey: "a") == nil)
        try await checkRemovalByKey()
        let rest = try await store.usage()
        try expect("removing everything returns the usage", try await store.removeAll() == rest)
        try expect("the usage is zero after removing everything", try await store.usage() == StoreUsage())
    }

    private func checkRemovalByKey() async throws {
        for key in ["p1", "p2", "q"] { try await store.store(Data([1]), forKey: key, options: BlobOptions()) }
        let count = try await store.removeBlobs { $0.hasPrefix("p") }
        try expect("removing by key returns the number of entries", count == 2)
        try expect("entries that match a predicate are removed", try await store.blob(forKey: "p1") == nil)
        try expect("entries that do not match a predicate stay", try await store.blob(forKey: "q") != nil)
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

    /// Issues operations without waiting for earlier ones.
    private func checkOrderOfWhatIsUnderWay() async throws {
        let store = store
        for _ in 0..<20 {
            let stores = [UInt8(1), 2, 3].map { byte in
                Task.immediate { try await store.store(Data([byte]), forKey: "u", options: BlobOptions()) }
            }
            for task in stores { try await task.value }
            let last = try await store.blob(forKey: "u")?.data
            try expect("the last of several concurrent stores wins", last == Data([3]))
            let store4 = Task.immediate {
                try await store.store(Data([4]), forKey: "u", options: BlobOptions())
            }
            let removal = Task.immediate { try await store.removeBlob(forKey: "u") }
            try await store4.value
            _ = try await removal.value
            let isThere = try await store.contains("u")
            try expect("a removal issued after a store removes its entry", !isThere)
        }
    }

    private func checkRenewal() async throws {
        let metadata = Data([7])
        try await store.store(Data([1, 2]), forKey: "r", options: BlobOptions())
        let isRenewed = try await store.renewBlob(forKey: "r", options: BlobOptions(metadata: metadata))
        let blob = try await store.blob(forKey: "r")
        try expect("renewing an existing key returns true", isRenewed)
        try expect("renewing keeps the bytes", blob?.data == Data([1, 2]))
        try expect("renewing sets the new metadata", blob?.metadata == metadata)
        var other = BlobOptions(metadata: Data([8]))
        other.renewedMetadata = Data([6])
        let isOtherRenewed = try await store.renewBlob(forKey: "r", options: other)
        let left = try await store.blob(forKey: "r")?.metadata
        try expect("an entry with unexpected metadata is not renewed", !isOtherRenewed && left == metadata)
        other.renewedMetadata = metadata
        let isExpectedRenewed = try await store.renewBlob(forKey: "r", options: other)
        let isSet = try await store.blob(forKey: "r")?.metadata == Data([8])
        try expect("an entry with the expected metadata is renewed", isExpectedRenewed && isSet)
        let isAbsentRenewed = try await store.renewBlob(forKey: "absent", options: BlobOptions())
        try expect("renewing an absent key returns false", !isAbsentRenewed)
        try expect("renewing an absent key creates no entry", try await !store.contains("absent"))
    }

    private func checkFlushing() async throws {
        let usage = try await store.usage()
        try await store.flush()
        try expect("flushing removes no entries", try await store.usage() == usage)
        try await store.store(Data([3]), forKey: "flushed", options: BlobOptions())
        let blob = try await store.blob(forKey: "flushed")
        try expect("a flushed store stays usable", blob?.data == Data([3]))
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
