public import FoundationEssentials

/// The body of an answer: chunks of bytes, once, in order.
///
/// Bounds and announced sizes have been checked by the loader: an iteration that ends without an error has
/// given the whole body.
public struct FetchBody: AsyncSequence, Sendable {
    /// A chunk of at least one byte.
    public typealias Element = Data

    private let makeIterator: @Sendable () -> Iterator

    /// Gives the chunks, one at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let nextChunk: () async throws -> Data?

        /// Creates an iterator from a closure that gives the next chunk, or `nil` at the end.
        public init(_ nextChunk: @escaping () async throws -> Data?) {
            self.nextChunk = nextChunk
        }

        /// The next chunk, or `nil` at the end.
        public mutating func next() async throws -> Data? {
            try await nextChunk()
        }
    }

    /// Creates a body from a closure that makes its iterator; it is called once.
    public init(_ makeIterator: @escaping @Sendable () -> Iterator) {
        self.makeIterator = makeIterator
    }

    /// Creates a body of one chunk, or of none where `data` is empty.
    public init(_ data: Data) {
        self.init {
            var rest: Data? = data.isEmpty ? nil : data
            return Iterator {
                defer { rest = nil }
                return rest
            }
        }
    }

    /// The iterator; a body can be read once.
    public func makeAsyncIterator() -> Iterator {
        makeIterator()
    }
}

extension FetchResponse {
    /// The whole body.
    ///
    /// - Throws: What the body throws.
    public func collected() async throws -> Data {
        var data = Data()
        data.reserveCapacity(Swift.min(expectedByteCount ?? 0, 1 << 20))
        for try await chunk in body {
            data.append(chunk)
        }
        return data
    }
}
