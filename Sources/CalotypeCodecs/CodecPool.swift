package import CalotypeCore
internal import CalotypeSupport
package import FoundationEssentials

/// Codecs with threads of their own, which may block: nothing of a codec runs on the cooperative pool.
package final class CodecPool: Sendable {
    /// The codecs that it runs.
    package let codecs: CodecRegistry

    private let threads: BlockingPool

    /// Creates a pool; a thread starts when there is work for it.
    ///
    /// - Parameters:
    ///   - codecs: What it runs.
    ///   - concurrencyMax: How much runs at once; the number of cores unless given, and at least 1.
    ///   - niceness: By how much its threads let others go first, 0...19 as `nice(1)`; 0 unless given.
    package init(_ codecs: CodecRegistry, concurrencyMax: Int? = nil, niceness: Int = 0) {
        self.codecs = codecs
        let width = max(1, concurrencyMax ?? BlockingPool.coreCount)
        threads = BlockingPool(width: width) { name, body in
            SystemThread.start(name: name) {
                if niceness > 0 { SystemThread.beNice(niceness) }
                body()
            }
        }
    }

    /// How much runs at once.
    package var concurrencyMax: Int { threads.width }

    /// How many threads are held by decodes that go on beyond their time.
    package var stuckCount: Int { threads.stuckCount }

    /// Reads a header, with other codecs where they are given.
    ///
    /// - Throws: As ``decode(of:limits:_:)``.
    package func info(
        of data: Data,
        limits: DecodeLimits,
        by codecs: CodecRegistry? = nil
    ) async throws -> ImageInfo {
        let codecs = codecs ?? self.codecs
        return try await decode(data, limits: limits) { try codecs.info(of: data, limits: limits) }
    }

    /// Runs a decode of bytes as ``decode(of:limits:_:)``.
    package func decode<Value: Sendable>(
        _ data: Data,
        limits: DecodeLimits,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await decode(of: { ImageFormat(sniffing: data) }, limits: limits, work)
    }

    /// Runs a decode for as long as its limits allow and its task is not cancelled.
    ///
    /// - Parameters:
    ///   - format: What is decoded, as far as it is known; called on any thread.
    ///   - limits: How long it may take.
    ///   - work: The decode.
    /// - Returns: What the decode returns.
    /// - Throws: What the decode throws, `DecodeError` with `timedOut` or `refused`, or `CancellationError`.
    package func decode<Value: Sendable>(
        of format: @escaping @Sendable () -> ImageFormat?,
        limits: DecodeLimits,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await threads.runDecode(atMost: limits.durationMax, of: format, work)
    }

    /// Encodes by the registry's rule for the format.
    ///
    /// - Throws: ``EncodeError``.
    package func encode(_ image: Image) async throws(EncodeError) -> Data {
        let codecs = codecs
        return try await threads.run { () throws(EncodeError) in try codecs.encode(image) }
    }

    /// Runs other work in its turn with all decodes; where its task is cancelled, it is told to end.
    ///
    /// What a worker does ends then; what a library does in process goes on to its end. The caller waits for
    /// that. Decodes that are part of it, such as those of frames, have the time that they have elsewhere.
    ///
    /// - Throws: What the work throws; `CancellationError` in its place where the task is cancelled.
    package func runStoppable<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let stop = WorkStop()
        return try await withTaskCancellationHandler {
            do {
                return try await threads.run(.ordinary) { try stop.governingTimeless(work) }
            } catch  where Task.isCancelled {
                throw CancellationError()
            }
        } onCancel: {
            stop.stop(.cancelled)
        }
    }

    /// Runs other work in its turn with all decodes; it runs to its end.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await threads.run(.ordinary, work)
    }
}
