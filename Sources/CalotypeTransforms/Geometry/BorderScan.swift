import CalotypeCore

/// Searches from the edges inwards for pixels that differ from a colour.
struct BorderScan {
    /// Premultiplied colours and alpha, so that invisible colours make no difference.
    private typealias Channels = SIMD4<Int32>

    private let bytes: UnsafeRawBufferPointer
    private let size: PixelSize
    private let bytesPerPixel: Int
    private let color: Channels
    private let tolerance: Int32

    /// Creates a scan of an image.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - bytes: Its pixels.
    ///   - color: The colour of the border; `nil` for that of the top left pixel.
    ///   - tolerance: The maximum difference of any channel of the border, 0...255 levels.
    init(_ image: Image, _ bytes: UnsafeRawBufferPointer, color: RGBAColor?, tolerance: Int) {
        self.bytes = bytes
        size = image.size
        bytesPerPixel = image.pixelFormat.bytesPerPixel
        self.tolerance = Int32(tolerance)
        self.color =
            color.map { Self.channels($0.red, $0.green, $0.blue, $0.alpha) }
            ?? Self.channels(bytes, at: 0, bytesPerPixel)
    }

    /// The smallest rectangle that contains all differing pixels; `nil` without any.
    var content: PixelRect? {
        let all = 0..<size.width
        guard let top = (0..<size.height).first(where: { firstDifference($0, all) != nil }),
            let bottom = (0..<size.height).last(where: { firstDifference($0, all) != nil })
        else { return nil }
        var (left, right) = (size.width, 0)
        // Scans row by row, in memory order, and only outside the known content.
        for row in top...bottom {
            left = firstDifference(row, 0..<left) ?? left
            right = lastDifference(row, right..<size.width).map { $0 + 1 } ?? right
        }
        return PixelRect(x: left, y: top, width: right - left, height: bottom + 1 - top)
    }

    private func firstDifference(_ row: Int, _ columns: Range<Int>) -> Int? {
        columns.first { differs(row, $0) }
    }

    private func lastDifference(_ row: Int, _ columns: Range<Int>) -> Int? {
        columns.last { differs(row, $0) }
    }

    private func differs(_ row: Int, _ column: Int) -> Bool {
        let pixel = Self.channels(bytes, at: (row * size.width + column) * bytesPerPixel, bytesPerPixel)
        let difference = pixel &- color
        return max(difference.max(), -difference.min()) > tolerance
    }

    private static func channels(
        _ bytes: UnsafeRawBufferPointer,
        at start: Int,
        _ bytesPerPixel: Int
    ) -> Channels {
        let (green, blue) = bytesPerPixel == 1 ? (start, start) : (start + 1, start + 2)
        return channels(bytes[start], bytes[green], bytes[blue], bytesPerPixel == 4 ? bytes[start + 3] : 255)
    }

    private static func channels(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8) -> Channels {
        let colors = Channels(Int32(red), Int32(green), Int32(blue), 255) &* Int32(alpha)
        return (colors &+ 127) / 255
    }
}
