public import CalotypeCore
public import FoundationEssentials

/// Encodes images in one format; a value that consists of the format's settings.
///
/// Equal values give equal bytes for equal images.
public protocol ImageEncoder: Hashable, Sendable {
    /// The format of the bytes.
    var format: ImageFormat { get }

    /// All settings that change the bytes, with a version, as text for a cache key: `jpeg1(q=90,…)`.
    var cacheIdentity: String { get }

    /// Returns the encoder with settings shared by many formats, for callers that do not know the format.
    ///
    /// - Throws: ``EncodeError`` with `unsupportedFeature` if the encoder does not support a setting, and
    ///   with `invalidParameter` if a setting is out of range.
    func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> Self

    /// Encodes an image; blocks while it works.
    ///
    /// - Throws: ``EncodeError``.
    func encode(_ image: Image) throws(EncodeError) -> Data
}

extension ImageEncoder {
    /// Returns the encoder unchanged, for a lossless format without a quality.
    ///
    /// - Throws: ``EncodeError`` with `unsupportedFeature` for a `maxByteCount` or a progressive result, and
    ///   with `invalidParameter` for an effort out of range.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> Self {
        try adjustment.check(for: format)
        guard adjustment.maxByteCount == nil else {
            throw EncodeError(
                .unsupportedFeature,
                format: format,
                detail: "the encoder for \(format) does not support maxByteCount"
            )
        }
        return self
    }

    /// Returns the encoder with some of the settings of an ``EncodeAdjustment``.
    ///
    /// - Parameters:
    ///   - quality: 0...100 on the format's own scale; `nil` for no change.
    ///   - isLossless: True to preserve every pixel; false for no change.
    ///   - maxByteCount: The maximum size of the result in bytes; `nil` for no change.
    /// - Returns: The encoder with those settings.
    /// - Throws: The errors of ``adjusted(by:)``.
    public func adjusted(
        quality: Int? = nil,
        isLossless: Bool = false,
        maxByteCount: Int? = nil
    ) throws(EncodeError) -> Self {
        try adjusted(
            by: EncodeAdjustment(quality: quality, isLossless: isLossless, maxByteCount: maxByteCount)
        )
    }
}
