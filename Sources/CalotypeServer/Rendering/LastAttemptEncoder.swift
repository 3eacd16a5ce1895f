import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// Encodes within a number of bytes; if no quality is low enough, returns the result of the lowest quality,
/// because an oversized image is better than an error.
///
/// The lowest quality is that of the search for a fitting one, so that a smaller limit never gives a larger
/// result.
struct LastAttemptEncoder: ImageEncoder {
    private let limited: any ImageEncoder
    private let last: any ImageEncoder

    var format: ImageFormat { limited.format }

    var cacheIdentity: String { "lastAttempt1(\(limited.cacheIdentity);\(last.cacheIdentity))" }

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - encoder: The encoder to adjust.
    ///   - adjustment: The settings, with the limit of bytes.
    ///
    /// - Throws: `EncodeError` if a setting is out of range.
    init(_ encoder: some ImageEncoder, _ adjustment: EncodeAdjustment) throws(EncodeError) {
        limited = try encoder.adjusted(by: adjustment)
        var lowest = adjustment
        lowest.quality = 0
        lowest.maxByteCount = nil
        last = try encoder.adjusted(by: lowest)
    }

    func encode(_ image: Image) throws(EncodeError) -> Data {
        do {
            return try limited.encode(image)
        } catch {
            guard error.code == .limitExceeded else { throw error }
            return try last.encode(image)
        }
    }

    static func == (left: LastAttemptEncoder, right: LastAttemptEncoder) -> Bool {
        left.cacheIdentity == right.cacheIdentity
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(cacheIdentity)
    }
}
