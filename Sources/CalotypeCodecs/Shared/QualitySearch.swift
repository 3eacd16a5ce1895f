/// Looks for the highest quality whose result is small enough.
enum QualitySearch {
    /// Halves the range; results are taken to grow with the quality.
    ///
    /// - Parameters:
    ///   - qualities: Those to choose from.
    ///   - encode: The result at a quality; `nil` where it is too large.
    /// - Returns: The result at the highest quality that fits, or `nil` where none does.
    static func highestFitting<Result, Failure: Error>(
        in qualities: Range<Int>,
        encode: (Int) throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        var best: Result?
        var untried = qualities
        while !untried.isEmpty {
            let middle = untried.lowerBound + untried.count / 2
            if let result = try encode(middle) {
                best = result
                untried = (middle + 1)..<untried.upperBound
            } else {
                untried = untried.lowerBound..<middle
            }
        }
        return best
    }
}
