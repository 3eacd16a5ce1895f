import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1

/// Gives the chunks of a body, and lets go of the connection as soon as there are no more.
struct HTTPBodyReader {
    private var chunks: ChunkIterator?
    private var tally: BodyTally
    private let permit: FetchGate.Permit
    private let deadline: FetchDeadline
    /// Kept, for a loader that nobody holds any more shuts its client down.
    private let loader: HTTPDataLoader
    private let host: String

    init(
        _ body: HTTPClientResponse.Body,
        _ tally: BodyTally,
        _ permit: FetchGate.Permit,
        _ deadline: FetchDeadline,
        loader: HTTPDataLoader,
        host: String
    ) {
        chunks = ChunkIterator(base: body.makeAsyncIterator())
        self.tally = tally
        self.permit = permit
        self.deadline = deadline
        self.loader = loader
        self.host = host
    }

    /// The next chunk, or `nil` at the end.
    mutating func next() async throws -> Data? {
        do {
            while chunks != nil {
                try Task.checkCancellation()
                // A silent origin is the idle timeout's; this ends one that sends a byte now and then.
                _ = try deadline.remaining()
                guard let chunk = try await chunks?.next() else {
                    try tally.finish()
                    end()
                    return nil
                }
                try tally.add(chunk.readableBytes)
                if chunk.readableBytes > 0 {
                    return chunk.withUnsafeReadableBytes { Data($0) }
                }
            }
            return nil
        } catch {
            end()
            throw failure(error)
        }
    }

    /// Dropping the iterator closes the connection where the body has not come to its end.
    private mutating func end() {
        chunks = nil
        permit.end()
    }

    private func failure(_ error: any Error) -> any Error {
        // The other side closed in order, but too early.
        if error as? HTTPParserError == .invalidEOFState, let expected = tally.expectedByteCount,
            !Task.isCancelled
        {
            return FetchError.short(expected)
        }
        return loadFailure(error, host: host)
    }
}

// Unchecked because the client's iterator is not Sendable, while a caller on an actor must leave the actor to
// use it; nobody else has it, and an iterator is asked for one element at a time.
private struct ChunkIterator: @unchecked Sendable {
    var base: HTTPClientResponse.Body.AsyncIterator

    @concurrent
    mutating func next() async throws -> ByteBuffer? {
        try await base.next()
    }
}
