import CalotypeCore
import FoundationEssentials

extension EncodeOptions {
    /// The bytes at the highest quality of a range that are within ``byteCountMax``.
    ///
    /// Larger qualities are taken to give more bytes, so that some seven encodes are enough.
    ///
    /// - Parameters:
    ///   - qualities: The qualities to choose from; the highest is the one that was asked for.
    ///   - size: What is encoded, for the error.
    ///   - format: What it is encoded in, for the error.
    ///   - encode: Encodes at a quality; `nil` where the result is too large.
    /// - Returns: The bytes.
    /// - Throws: ``EncodeError`` with `limitExceeded` where none fits, or what `encode` throws.
    func highestFitting(
        _ qualities: ClosedRange<Int>,
        of size: PixelSize,
        format: ImageFormat,
        _ encode: (Int) throws(EncodeError) -> Data?
    ) throws(EncodeError) -> Data {
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
        guard let best else {
            throw EncodeError(
                .limitExceeded,
                format: format,
                detail: "\(size) pixels do not fit into \(outputByteCountMax) bytes at any quality"
            )
        }
        return best
    }
}
