import CalotypeCore
import FoundationEssentials

/// The search for the highest quality at which an image is small enough.
enum QualitySearch {
    /// The bytes at the highest quality of a range that fits.
    ///
    /// Larger qualities are taken to give more bytes, so that some seven encodes are enough.
    ///
    /// - Parameters:
    ///   - qualities: The qualities to choose from; the highest is the one that was asked for.
    ///   - encode: Encodes at a quality; `nil` where the result is too large.
    /// - Returns: `nil` where none fits.
    static func highestFitting(
        _ qualities: ClosedRange<Int>,
        _ encode: (Int) throws(EncodeError) -> Data?
    ) throws(EncodeError) -> Data? {
        if let data = try encode(qualities.upperBound) { return data }
        var best: Data?
        var untried = qualities.lowerBound..<qualities.upperBound
        while let middle = untried.isEmpty ? nil : (untried.lowerBound + untried.upperBound) / 2 {
            if let data = try encode(middle) {
                best = data
                untried = (middle + 1)..<untried.upperBound
            } else {
                untried = untried.lowerBound..<middle
            }
        }
        return best
    }
}
