import CCodecs
import CalotypeCore
import FoundationEssentials

extension EncodeOptions {
    /// Returns the bytes of an encode; `nil` if they exceed ``maxByteCount``.
    func fitting(
        _ format: ImageFormat,
        _ encode: () throws(CodecFailure) -> Data
    ) throws(EncodeError) -> Data? {
        do throws(CodecFailure) {
            return try encode()
        } catch  where error.status == .limit_exceeded && maxByteCount != nil {
            return nil
        } catch {
            throw error.encodeError(format)
        }
    }

    /// Returns the bytes at the highest quality of a range whose result fits ``maxByteCount``.
    ///
    /// The size is assumed to grow with the quality, so that about seven encodes are enough.
    ///
    /// - Parameters:
    ///   - qualities: The qualities to choose from; the highest is the requested one.
    ///   - size: The size of the image, for the error.
    ///   - format: The format, for the error.
    ///   - encode: Encodes at a quality; returns `nil` if the result is too large.
    /// - Returns: The bytes.
    /// - Throws: ``EncodeError`` with `limitExceeded` if none fits, or the error of `encode`.
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
                detail: "\(size) pixels do not fit into \(maxOutputByteCount) bytes at any quality"
            )
        }
        return best
    }
}
