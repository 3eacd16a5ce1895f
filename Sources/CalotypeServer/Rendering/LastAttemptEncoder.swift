import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// Encodes within a number of bytes, and where no quality gets there gives what the lowest gives, as imgproxy
/// and thumbor do: a picture that is too large is shown, an error is not.
struct LastAttemptEncoder: ImageEncoder {
    /// The lowest quality of both.
    private static let qualityMin = 10

    private let limited: any ImageEncoder
    private let last: any ImageEncoder

    var format: ImageFormat { limited.format }

    var cacheIdentity: String { "lastAttempt1(\(limited.cacheIdentity);\(last.cacheIdentity))" }

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - encoder: What it tries with.
    ///   - adjustment: With the number of bytes.
    ///
    /// - Throws: `EncodeError` where a setting is out of its range.
    init(_ encoder: some ImageEncoder, _ adjustment: EncodeAdjustment) throws(EncodeError) {
        limited = try encoder.adjusted(by: adjustment)
        var lowest = adjustment
        lowest.quality = min(adjustment.quality ?? Self.qualityMin, Self.qualityMin)
        lowest.byteCountMax = nil
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
