public import CalotypeCodecs
public import CalotypeCore
internal import CalotypeSupport

/// A cache of decoded images in memory over encoded ones in byte stores.
///
/// Stores are queried in order, nearest first; images are stored in the first writable one. There may be no
/// store. Every member can be called from any task.
public final class ImageCache: Sendable {
    /// A cache of decoded images: the default memory level of an image cache.
    public typealias Memory = MemoryCache<ImageKey, Image>

    /// A layer of the cache.
    public enum Layer: Hashable, Sendable, CaseIterable {
        /// Decoded images in memory.
        case memory
        /// Encoded images in the byte stores.
        case disk
    }

    /// The decoded images.
    ///
    /// Call ``noteChange(of:)`` before changing it directly, so that a query decoding at that moment does not
    /// undo the change.
    package let memory: any MemoryLevel<Image>

    /// The stores of encoded images, nearest first.
    public let stores: [any ByteStore]

    /// The decoders and encoders.
    public var codecs: CodecRegistry { codecPool.codecs }

    /// The threads for decoding and encoding.
    package let codecPool: CodecPool

    let turns = KeyTurns()
    let changes = PendingChanges()
    let partials = PartialImages()
    let decodes = SharedDecodes()
    let storeFailureCount = Guarded(0)

    /// Relieves the process-wide frame budget under memory pressure: frames of animations are decoded images
    /// too.
    private let framePressure: MemoryPressureSubscription?

    /// Creates a cache of a memory level and any number of byte stores.
    ///
    /// - Parameters:
    ///   - memory: The decoded images: a ``Memory``, by default with its own limits, or a custom
    ///     ``MemoryLevel``. The cache owns it from now on: a query that is decoding may undo changes made
    ///     from outside.
    ///   - stores: The stores of encoded images, nearest first; none by default. ``close()`` closes them.
    ///   - codecs: The decoders and encoders; all of Calotype's by default.
    ///   - maxDecodeConcurrency: The number of images decoded or encoded at once; by default the number of
    ///     cores, and always at least 1.
    ///   - decodeThreadNiceness: The niceness of the codec threads, 0...19 as in `nice(1)`; 0 by default. A
    ///     server raises it, so that cache hits are served while many images are decoded.
    public init(
        memory: any MemoryLevel<Image> = Memory(),
        stores: [any ByteStore] = [],
        codecs: CodecRegistry = .standard,
        maxDecodeConcurrency: Int? = nil,
        decodeThreadNiceness: Int = 0
    ) {
        self.memory = memory
        self.stores = stores
        codecPool = CodecPool(codecs, maxConcurrency: maxDecodeConcurrency, niceness: decodeThreadNiceness)
        framePressure = (memory as? Memory)?.pressureSource?.subscribe { FrameBudget.shared.relieve($0) }
    }

    /// Creates a cache of a memory level and one store, usually a disk cache.
    ///
    /// - Parameters:
    ///   - memory: The decoded images; by default with the memory cache's own limits.
    ///   - disk: The store of encoded images; ``close()`` closes it.
    ///   - codecs: The decoders and encoders; all of Calotype's by default.
    ///   - maxDecodeConcurrency: The number of images decoded or encoded at once; by default the number of
    ///     cores, and always at least 1.
    public convenience init(
        memory: any MemoryLevel<Image> = Memory(),
        disk: any ByteStore,
        codecs: CodecRegistry = .standard,
        maxDecodeConcurrency: Int? = nil
    ) {
        self.init(
            memory: memory,
            stores: [disk],
            codecs: codecs,
            maxDecodeConcurrency: maxDecodeConcurrency
        )
    }
}
