import CalotypeSupport

/// Cosines along one side of an image: those of 0, 1, 2 … half waves, at each of its pixels.
struct CosineTable {
    private let values: [Double]
    private let pixelCount: Int

    /// - Parameters:
    ///   - frequencyCount: How many cosines there are; that of 0 is 1 everywhere.
    ///   - pixelCount: The length of the side.
    ///   - shift: The sampling position within a pixel, from 0 to 1.
    init(_ frequencyCount: Int, over pixelCount: Int, shift: Double) {
        self.pixelCount = pixelCount
        values = (0..<frequencyCount).flatMap { frequency in
            (0..<pixelCount).map { pixel in
                cos(.pi * Double(frequency) * (Double(pixel) + shift) / Double(pixelCount))
            }
        }
    }

    subscript(frequency: Int, pixel: Int) -> Double { values[frequency * pixelCount + pixel] }
}
