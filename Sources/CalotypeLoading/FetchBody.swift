public import FoundationEssentials

/// The body of an answer: chunks of bytes, once, in order.
///
/// Bounds and announced sizes have been checked by the loader: an iteration that ends without an error has
/// given the whole body.
public struct FetchBody: AsyncSequence, Sendable {
    /// A chunk of at least one byte.
    public typealias Element = Data

    private let makeIterator: @Sendable () -> Iterator
    private let readWhole: (@Sendable () async throws -> Data)?

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
        readWhole = nil
    }

    /// Creates a body that can also be had in one piece, which saves its reader from being woken for each.
    package init(
        _ makeIterator: @escaping @Sendable () -> Iterator,
        whole: @escaping @Sendable () async throws -> Data
    ) {
        self.makeIterator = makeIterator
        readWhole = whole
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

    /// The whole body at once, where its loader can give it so; `nil` where it comes in chunks.
    package func whole() async throws -> Data? {
        try await readWhole?()
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
        if let data = try await body.whole() { return data }
        var data = Data()
        data.reserveCapacity(Swift.min(expectedByteCount ?? 0, 1 << 20))
        for try await chunk in body {
            data.append(chunk)
        }
        return data
    }
}
