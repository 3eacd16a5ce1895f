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

    /// The same encoder with settings that many formats have, for callers that do not know the format: the
    /// options of a command, the query of a URL.
    ///
    /// - Parameters:
    ///   - quality: 0...100 on the format's own scale; `nil` keeps the encoder's. A format without a quality
    ///     leaves it out of account.
    ///   - isLossless: Whether no pixel may change; false keeps what the encoder does.
    ///   - byteCountMax: The most bytes of the result; `nil` keeps the encoder's.
    /// - Returns: The encoder with those settings.
    /// - Throws: ``EncodeError`` with `unsupportedFeature` where the encoder cannot do that, and with
    ///   `invalidParameter` where a setting is beyond its range.
    func adjusted(quality: Int?, isLossless: Bool, byteCountMax: Int?) throws(EncodeError) -> Self

    /// Encodes an image. Blocks while it works.
    ///
    /// - Throws: ``EncodeError``.
    func encode(_ image: Image) throws(EncodeError) -> Data
}

extension ImageEncoder {
    /// The encoder as it is: that of a format which has no quality and loses nothing.
    ///
    /// - Throws: ``EncodeError`` with `unsupportedFeature` where there is a `byteCountMax`.
    public func adjusted(quality: Int?, isLossless: Bool, byteCountMax: Int?) throws(EncodeError) -> Self {
        guard byteCountMax == nil else {
            throw EncodeError(
                .unsupportedFeature,
                format: format,
                detail: "the encoder for \(format) knows no limit of bytes"
            )
        }
        return self
    }
}
