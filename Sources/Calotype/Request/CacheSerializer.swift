public import CalotypeCore
public import FoundationEssentials

/// Converts encoded bytes on their way into the stores and out of them, for example to encrypt them.
///
/// Other programs cannot read converted entries as images. Calls may block.
public protocol CacheSerializer: Sendable {
    /// Returns the bytes to store.
    ///
    /// - Parameters:
    ///   - data: An encoded image.
    ///   - request: The request that the image was loaded for.
    /// - Returns: The bytes to write.
    /// - Throws: Any error; then nothing is stored, and observers are notified.
    func serialize(_ data: Data, for request: ImageRequest) throws -> Data

    /// True if ``serialize(_:decodedTo:for:)`` uses the decoded image; false unless implemented.
    ///
    /// If true, the decoded image is held until the bytes are written, which may take a hundred times their
    /// memory.
    var usesDecodedImage: Bool { get }

    /// Returns the bytes to store, with access to the decoded image; ``serialize(_:for:)`` unless
    /// implemented.
    ///
    /// - Parameters:
    ///   - data: An encoded image.
    ///   - image: The decoded image, if ``usesDecodedImage`` is true and it was decoded just now.
    ///   - request: The request that the image was loaded for.
    /// - Returns: The bytes to write.
    /// - Throws: Any error; then nothing is stored, and observers are notified.
    func serialize(_ data: Data, decodedTo image: Image?, for request: ImageRequest) throws -> Data

    /// Returns the encoded image from stored bytes.
    ///
    /// - Parameters:
    ///   - data: The stored bytes.
    ///   - request: The request that the image is read for.
    /// - Returns: The encoded image.
    /// - Throws: Any error; then the entry counts as a miss.
    func deserialize(_ data: Data, for request: ImageRequest) throws -> Data
}

extension CacheSerializer {
    /// False.
    public var usesDecodedImage: Bool { false }

    /// Calls ``serialize(_:for:)``.
    public func serialize(_ data: Data, decodedTo image: Image?, for request: ImageRequest) throws -> Data {
        try serialize(data, for: request)
    }

    /// Returns the bytes unchanged: they are an image as stored.
    public func deserialize(_ data: Data, for request: ImageRequest) throws -> Data { data }
}
