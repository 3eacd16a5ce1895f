public import CalotypeCodecs
public import CalotypeCore
internal import CalotypeSupport
package import FoundationEssentials

/// Decoded images in memory over encoded ones in byte stores.
///
/// The stores are asked in order, nearest first; the first that can be written to is where images are stored.
/// There may be none. Every member can be called from any task.
public final class ImageCache: Sendable {
    /// A cache of decoded images.
    public typealias Memory = MemoryCache<ImageKey, Image>

    /// A part of the cache.
    public enum Layer: Hashable, Sendable, CaseIterable {
        /// Decoded images in memory.
        case memory
        /// Encoded images in the byte stores.
        case disk
    }

    /// The decoded images.
    ///
    /// Whoever changes it calls ``noteChange(of:)`` before, so that a query that decodes at the moment does
    /// not undo it.
    package let memory: Memory

    /// Where encoded images are kept, nearest first.
    public let stores: [any ByteStore]

    /// What turns the one into the other.
    public let codecs: CodecRegistry

    let turns = KeyTurns()
    let changes = PendingChanges()
    let partials = PartialImages()
    let decodes = SharedDecodes()
    let storeFailureCount = Guarded(0)
    private let decodePool: BlockingPool
    /// Frames of animations are decoded images too, in a budget of the process.
    private let framePressure: MemoryPressureSubscription?

    /// Creates a cache of a memory level and any number of byte stores.
    ///
    /// - Parameters:
    ///   - memory: The decoded images; by default with the memory cache's own limits. It is the cache's own
    ///     from here on: what somebody else changes in it may be undone by a query that decodes meanwhile.
    ///   - stores: Where encoded images are kept, nearest first; none by default. ``close()`` closes them.
    ///   - codecs: What turns the one into the other; all of Calotype's by default.
    ///   - decodeConcurrencyMax: How many images are decoded or encoded at once; the number of cores by
    ///     default, and at least 1 whatever is given.
    public init(
        memory: Memory = Memory(),
        stores: [any ByteStore] = [],
        codecs: CodecRegistry = .standard,
        decodeConcurrencyMax: Int? = nil
    ) {
        self.memory = memory
        self.stores = stores
        self.codecs = codecs
        decodePool = BlockingPool(width: max(1, decodeConcurrencyMax ?? BlockingPool.coreCount))
        framePressure = memory.pressureSource?.subscribe { FrameBudget.shared.relieve($0) }
    }

    /// Creates a cache of a memory level and one store, usually a disk cache.
    ///
    /// - Parameters:
    ///   - memory: The decoded images; by default with the memory cache's own limits.
    ///   - disk: Where encoded images are kept; ``close()`` closes it.
    ///   - codecs: What turns the one into the other; all of Calotype's by default.
    ///   - decodeConcurrencyMax: How many images are decoded or encoded at once; the number of cores by
    ///     default, and at least 1 whatever is given.
    public convenience init(
        memory: Memory = Memory(),
        disk: any ByteStore,
        codecs: CodecRegistry = .standard,
        decodeConcurrencyMax: Int? = nil
    ) {
        self.init(
            memory: memory,
            stores: [disk],
            codecs: codecs,
            decodeConcurrencyMax: decodeConcurrencyMax
        )
    }

    /// Runs a decode on a thread that may block, for as long as its limits allow and its task is not
    /// cancelled.
    ///
    /// - Parameters:
    ///   - format: What is decoded, as far as it is known; called on any thread.
    ///   - limits: How long it may take.
    ///   - work: The decode.
    /// - Returns: What the decode returns.
    /// - Throws: What the decode throws, `DecodeError` with `timedOut` or `refused`, or `CancellationError`.
    package func runDecode<Value: Sendable>(
        of format: @escaping @Sendable () -> ImageFormat?,
        limits: DecodeLimits,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await decodePool.runDecode(atMost: limits.durationMax, of: format, work)
    }

    /// Runs a decode of bytes as ``runDecode(of:limits:_:)-format``.
    package func runDecode<Value: Sendable>(
        of data: Data,
        limits: DecodeLimits,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await runDecode(of: { ImageFormat(sniffing: data) }, limits: limits, work)
    }

    /// Reads a header on a thread that may block.
    ///
    /// - Throws: As ``runDecode(of:limits:_:)``.
    package func info(of data: Data, limits: DecodeLimits) async throws -> ImageInfo {
        let codecs = codecs
        return try await runDecode(of: data, limits: limits) { try codecs.info(of: data, limits: limits) }
    }

    /// How many threads are held by decodes that go on beyond their time.
    var stuckDecodeCount: Int { decodePool.stuckCount }

    /// Runs work on a thread that may block, in its turn with all decodes; it runs to its end.
    package func runBlocking<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await decodePool.run(.ordinary, work)
    }

    /// Encodes on a thread that may block, by the registry's rule for the format.
    ///
    /// - Throws: ``CalotypeCodecs/EncodeError``.
    package func encode(_ image: Image) async throws(EncodeError) -> Data {
        let codecs = codecs
        return try await decodePool.run { () throws(EncodeError) in try codecs.encode(image) }
    }
}
