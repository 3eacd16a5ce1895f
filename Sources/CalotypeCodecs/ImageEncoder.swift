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

    /// The same encoder with settings that many formats have, for callers that do not know the format.
    ///
    /// - Throws: ``EncodeError`` with `unsupportedFeature` where the encoder cannot do that, and with
    ///   `invalidParameter` where a setting is beyond its range.
    func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> Self

    /// Encodes an image. Blocks while it works.
    ///
    /// - Throws: ``EncodeError``.
    func encode(_ image: Image) throws(EncodeError) -> Data
}

extension ImageEncoder {
    /// The encoder as it is: that of a format which has no quality and loses nothing.
    ///
    /// - Throws: ``EncodeError`` with `unsupportedFeature` where there is a `byteCountMax`, or where the
    ///   result is to be progressive, and with `invalidParameter` for an effort beyond its range.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> Self {
        try adjustment.check(for: format)
        guard adjustment.byteCountMax == nil else {
            throw EncodeError(
                .unsupportedFeature,
                format: format,
                detail: "the encoder for \(format) knows no limit of bytes"
            )
        }
        return self
    }

    /// The same encoder with some of the settings of an ``EncodeAdjustment``.
    ///
    /// - Parameters:
    ///   - quality: 0...100 on the format's own scale; `nil` keeps the encoder's.
    ///   - isLossless: Whether no pixel may change; false keeps what the encoder does.
    ///   - byteCountMax: The most bytes of the result; `nil` keeps the encoder's.
    /// - Returns: The encoder with those settings.
    /// - Throws: As ``adjusted(by:)``.
    public func adjusted(
        quality: Int? = nil,
        isLossless: Bool = false,
        byteCountMax: Int? = nil
    ) throws(EncodeError) -> Self {
        try adjusted(
            by: EncodeAdjustment(quality: quality, isLossless: isLossless, byteCountMax: byteCountMax)
        )
    }
}
