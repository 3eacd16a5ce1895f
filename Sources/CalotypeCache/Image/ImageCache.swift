public import CalotypeCodecs
public import CalotypeCore
internal import CalotypeSupport

/// Decoded images in memory over encoded ones in byte stores.
///
/// The stores are asked in order, nearest first; the first that can be written to is where images are stored.
/// There may be none. Every member can be called from any task.
public final class ImageCache: Sendable {
    /// A cache of decoded images: the memory level that an image cache has unless it is given another.
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
    package let memory: any MemoryLevel<Image>

    /// Where encoded images are kept, nearest first.
    public let stores: [any ByteStore]

    /// What turns the one into the other.
    public var codecs: CodecRegistry { codecPool.codecs }

    /// The threads that do it.
    package let codecPool: CodecPool

    let turns = KeyTurns()
    let changes = PendingChanges()
    let partials = PartialImages()
    let decodes = SharedDecodes()
    let storeFailureCount = Guarded(0)

    /// Frames of animations are decoded images too, in a budget of the process.
    private let framePressure: MemoryPressureSubscription?

    /// Creates a cache of a memory level and any number of byte stores.
    ///
    /// - Parameters:
    ///   - memory: The decoded images: a ``Memory``, by default with its own limits, or a ``MemoryLevel`` of
    ///     one's own. It is the cache's own from here on: what somebody else changes in it may be undone by a
    ///     query that decodes meanwhile.
    ///   - stores: Where encoded images are kept, nearest first; none by default. ``close()`` closes them.
    ///   - codecs: What turns the one into the other; all of Calotype's by default.
    ///   - decodeConcurrencyMax: How many images are decoded or encoded at once; the number of cores by
    ///     default, and at least 1 whatever is given.
    ///   - decodeNiceness: By how much the threads that do it let others go first where there are not enough
    ///     processors, 0...19 as in `nice(1)`; 0 by default. A server gives some, so that what is kept is
    ///     answered while much has to be made.
    public init(
        memory: any MemoryLevel<Image> = Memory(),
        stores: [any ByteStore] = [],
        codecs: CodecRegistry = .standard,
        decodeConcurrencyMax: Int? = nil,
        decodeNiceness: Int = 0
    ) {
        self.memory = memory
        self.stores = stores
        codecPool = CodecPool(codecs, concurrencyMax: decodeConcurrencyMax, niceness: decodeNiceness)
        framePressure = (memory as? Memory)?.pressureSource?.subscribe { FrameBudget.shared.relieve($0) }
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
        memory: any MemoryLevel<Image> = Memory(),
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
}
