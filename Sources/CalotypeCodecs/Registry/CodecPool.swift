package import CalotypeCore
internal import CalotypeSupport
package import FoundationEssentials

/// Codecs with threads of their own, so that no codec blocks the cooperative pool.
package final class CodecPool: Sendable {
    package let codecs: CodecRegistry

    private let threads: BlockingPool

    /// Creates a pool; a thread starts when there is work for it.
    ///
    /// - Parameters:
    ///   - codecs: The codecs of the pool.
    ///   - maxConcurrency: The maximum number of concurrent work items; the number of cores by default, and
    ///     at least 1.
    ///   - niceness: The reduction of the threads' priority, 0...19 as in `nice(1)`; 0 by default.
    package init(_ codecs: CodecRegistry, maxConcurrency: Int? = nil, niceness: Int = 0) {
        self.codecs = codecs
        let width = max(1, maxConcurrency ?? BlockingPool.coreCount)
        threads = BlockingPool(width: width) { name, body in
            SystemThread.start(name: name) {
                if niceness > 0 { SystemThread.beNice(niceness) }
                body()
            }
        }
    }

    /// The maximum number of concurrent work items.
    package var maxConcurrency: Int { threads.width }

    /// The number of threads held by decodes that exceed their time.
    package var stuckCount: Int { threads.stuckCount }

    /// Reads a header, optionally of some pages or frames, and with other codecs.
    ///
    /// - Throws: The errors of ``decode(of:limits:_:)``.
    package func info(
        of data: Data,
        limits: DecodeLimits,
        pages: PageSelection? = nil,
        frames: FrameSelection = .all,
        by codecs: CodecRegistry? = nil
    ) async throws -> ImageInfo {
        let codecs = codecs ?? self.codecs
        return try await decode(data, limits: limits) {
            try codecs.info(of: data, limits: limits, pages: pages, frames: frames)
        }
    }

    /// Runs a decode of bytes as ``decode(of:limits:_:)``.
    package func decode<Value: Sendable>(
        _ data: Data,
        limits: DecodeLimits,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await decode(of: { ImageFormat(sniffing: data) }, limits: limits, work)
    }

    /// Runs a decode within its time limit, unless its task is cancelled.
    ///
    /// - Parameters:
    ///   - format: Returns the format, if it is known; called on any thread.
    ///   - limits: The limits, of which the time limit is used.
    ///   - work: The decode.
    /// - Returns: The result of the decode.
    /// - Throws: The error of the decode, `DecodeError` with `timedOut` or `refused`, or `CancellationError`.
    package func decode<Value: Sendable>(
        of format: @escaping @Sendable () -> ImageFormat?,
        limits: DecodeLimits,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await threads.runDecode(atMost: limits.maxDuration, of: format, work)
    }

    /// Encodes by the registry's rule for the format.
    package func encode(_ image: Image) async throws(EncodeError) -> Data {
        let codecs = codecs
        return try await threads.run { () throws(EncodeError) in try codecs.encode(image) }
    }

    /// Runs other work in turn with all decodes; stops it if its task is cancelled.
    ///
    /// Work in a worker process ends then; a library in process continues to its end, and the caller waits
    /// for that. Decodes within the work, such as those of frames, have their usual time limits.
    ///
    /// - Throws: The error of the work, or `CancellationError` if the task is cancelled.
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

    /// Runs other work to its end, in turn with all decodes.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await threads.run(.ordinary, work)
    }
}
