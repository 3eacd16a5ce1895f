public import CalotypeCache
internal import CalotypeCore
internal import CalotypeSupport
public import FoundationEssentials

/// A byte store in memory, which can be made to fail.
public final class FakeByteStore: ByteStore {
    private struct State: Sendable {
        var blobs: [ImageKey: Blob] = [:]
        var failure: (any Error)?
        var operations: [String] = []
        var isClosed = false
    }

    private let state = Guarded(State())

    /// The name for logs and results; `fake` unless set.
    public let name: String

    /// Whether writes succeed; true unless set.
    public let isWritable: Bool

    /// Creates an empty store.
    public init(name: String = "fake", isWritable: Bool = true) {
        self.name = name
        self.isWritable = isWritable
    }

    /// Sets the error that every later operation throws; `nil` lets them succeed again.
    public func fail(with error: (any Error)?) {
        state.withLock { $0.failure = error }
    }

    /// The operations so far, such as `store k`.
    public var operations: [String] { state.withLock { $0.operations } }

    /// The stored keys, sorted.
    public var keys: [String] { state.withLock { $0.blobs.keys.map(\.rawValue).sorted() } }

    /// Whether it has been closed.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Returns the blob for a key.
    ///
    /// - Throws: The error set by ``fail(with:)``.
    public func blob(forKey key: String) async throws -> Blob? {
        try perform("blob \(key)") { $0.blobs[ImageKey(key)] }
    }

    /// Returns whether there is a blob for a key.
    ///
    /// - Throws: The error set by ``fail(with:)``.
    public func contains(_ key: String) async throws -> Bool {
        try perform("contains \(key)") { $0.blobs[ImageKey(key)] != nil }
    }

    /// Stores bytes.
    ///
    /// - Throws: The error set by ``fail(with:)``.
    public func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {
        let blob = Blob(data: data, metadata: options.metadata, writtenAt: Timestamp(nanosecondsSince1970: 0))
        try perform("store \(key)") { $0.blobs[ImageKey(key)] = blob }
    }

    /// Removes the blob for a key.
    ///
    /// - Throws: The error set by ``fail(with:)``.
    public func removeBlob(forKey key: String) async throws -> Bool {
        try perform("remove \(key)") { $0.blobs.removeValue(forKey: ImageKey(key)) != nil }
    }

    /// Removes the blobs whose keys match a predicate.
    ///
    /// - Throws: The error set by ``fail(with:)``.
    public func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int {
        try perform("removeBlobs") { state in
            let keys = state.blobs.keys.filter { isRemoved($0.rawValue) }
            for key in keys { state.blobs[key] = nil }
            return keys.count
        }
    }

    /// Removes all blobs.
    ///
    /// - Throws: The error set by ``fail(with:)``.
    public func removeAll() async throws -> StoreUsage {
        try perform("removeAll") { state in
            defer { state.blobs = [:] }
            return Self.usage(of: state)
        }
    }

    /// Removes no blobs: they do not expire.
    ///
    /// - Throws: The error set by ``fail(with:)``.
    public func removeExpired() async throws -> StoreUsage {
        try perform("removeExpired") { _ in StoreUsage() }
    }

    /// Returns the number and bytes of the blobs.
    ///
    /// - Throws: The error set by ``fail(with:)``.
    public func usage() async throws -> StoreUsage {
        try perform("usage") { Self.usage(of: $0) }
    }

    /// Records the call.
    ///
    /// - Throws: The error set by ``fail(with:)``.
    public func flush() async throws {
        try perform("flush") { _ in }
    }

    /// Records the call; later operations throw.
    ///
    /// - Throws: The error set by ``fail(with:)``.
    public func close() async throws {
        try perform("close") { $0.isClosed = true }
    }

    private func perform<Result: Sendable>(_ operation: String, _ body: (inout State) -> Result) throws
        -> Result
    {
        try state.withLock { state in
            state.operations.append(operation)
            if state.isClosed { throw DiskCacheError(.closed, detail: "the fake has been closed") }
            if let failure = state.failure { throw failure }
            return body(&state)
        }
    }

    private static func usage(of state: State) -> StoreUsage {
        StoreUsage(
            entryCount: state.blobs.count,
            byteCount: state.blobs.values.reduce(0) { $0 + $1.data.count }
        )
    }
}
