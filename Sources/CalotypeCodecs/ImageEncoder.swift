public import CalotypeCore
public import FoundationEssentials

/// A way to turn images into the bytes of one format: the format's settings as a value.
///
/// Equal values give equal bytes for equal images.
public protocol ImageEncoder: Hashable, Sendable {
    /// The format of the bytes.
    var format: ImageFormat { get }

    /// Everything that changes the bytes, with a version, as text for a cache key: `jpeg1(q=90,…)`.
    var cacheIdentity: String { get }

    /// Encodes an image. Blocks while it works.
    ///
    /// - Throws: ``EncodeError``.
    func encode(_ image: Image) throws(EncodeError) -> Data
}
