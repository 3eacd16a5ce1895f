public import FoundationEssentials

/// The body of a response: chunks of bytes in order, readable once.
///
/// The loader has checked limits and announced sizes: an iteration that ends without an error has returned
/// the whole body.
public struct FetchBody: AsyncSequence, Sendable {
    /// A chunk of at least one byte.
    public typealias Element = Data

    private let makeIterator: @Sendable () -> Iterator
    private let readWhole: (@Sendable () async throws -> Data)?

    /// Returns the chunks, one at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let nextChunk: () async throws -> Data?

        /// Creates an iterator from a closure that returns the next chunk, or `nil` at the end.
        public init(_ nextChunk: @escaping () async throws -> Data?) {
            self.nextChunk = nextChunk
        }

        /// Returns the next chunk, or `nil` at the end.
        public mutating func next() async throws -> Data? {
            try await nextChunk()
        }
    }

    /// Creates a body from a closure that creates its iterator; called once.
    public init(_ makeIterator: @escaping @Sendable () -> Iterator) {
        self.makeIterator = makeIterator
        readWhole = nil
    }

    /// Creates a body that can also be read as a whole, which saves its reader from being woken for each
    /// chunk.
    package init(
        _ makeIterator: @escaping @Sendable () -> Iterator,
        whole: @escaping @Sendable () async throws -> Data
    ) {
        self.makeIterator = makeIterator
        readWhole = whole
    }

    /// Creates a body of one chunk, or an empty body if `data` is empty.
    public init(_ data: Data) {
        self.init {
            var rest: Data? = data.isEmpty ? nil : data
            return Iterator {
                defer { rest = nil }
                return rest
            }
        }
    }

    /// Returns the whole body, if its loader supports that; `nil` if it must be read in chunks.
    package func whole() async throws -> Data? {
        try await readWhole?()
    }

    /// Returns the iterator; a body can be read once.
    public func makeAsyncIterator() -> Iterator {
        makeIterator()
    }
}

extension FetchResponse {
    /// Returns the whole body.
    ///
    /// - Throws: The error of the body.
    public func collected() async throws -> Data {
        if let data = try await body.whole() { return data }
        var data = Data()
        data.reserveCapacity(Swift.min(expectedByteCount ?? 0, 1 << 20))
        for try await chunk in body {
            data.append(chunk)
        }
        return data
    }
}
