package import FoundationEssentials

/// The coefficients of a JPEG of several scans: libjpeg keeps those of the whole image, also for a small
/// result.
package enum JPEGCoefficients {
    /// The bytes that are searched, and the segments in them; a header beyond counts as the largest.
    private static let maxSearchedByteCount = 1 << 20
    private static let maxSegmentCount = 1_000

    /// Returns their bytes per pixel of the image.
    ///
    /// - Parameter file: A JPEG.
    /// - Returns: The bytes per pixel; 0 for a file of one scan.
    package static func byteCountPerPixel(of file: Data) -> Double {
        var segments = JPEGSegments(file.prefix(maxSearchedByteCount), passingPadding: true)
        var frame: (isProgressive: Bool, components: [UInt8])?
        for _ in 0..<maxSegmentCount {
            guard let segment = segments.next() else { break }
            guard (0xC0...0xCF).contains(segment.marker), ![0xC4, 0xC8, 0xCC].contains(segment.marker) else {
                continue
            }
            // Section B.2.2: precision, height, width, and three bytes for each component.
            let bytes = [UInt8](segment.payload.dropFirst(6))
            let components = stride(from: 1, to: bytes.count, by: 3).map { bytes[$0] }
            frame = (segment.marker & 3 == 2, components)
        }
        let largest = 8.0
        guard let frame, let scanned = segments.scanComponentCount else { return largest }
        guard frame.isProgressive || scanned < frame.components.count else { return 0 }
        let across = frame.components.map { Double($0 >> 4) }
        let down = frame.components.map { Double($0 & 15) }
        let most = (across.max() ?? 0) * (down.max() ?? 0)
        guard most > 0 else { return largest }
        return 2 * zip(across, down).reduce(0) { $0 + $1.0 * $1.1 } / most
    }
}
