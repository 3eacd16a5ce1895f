import CalotypeCodecs
import CalotypeCore

/// The chunks of a file and the pixels that they make.
struct QOIStream {
    private let bytes: [UInt8]
    private let format: PixelFormat
    private var next = 0
    private var seen = [QOIPixel](repeating: .unseen, count: 64)
    private var pixel = QOIPixel()

    init(_ bytes: [UInt8], format: PixelFormat) {
        self.bytes = bytes
        self.format = format
    }

    /// Checks that there can be as many pixels: no chunk has more than 62.
    func checkLeast(pixelCount: Int) throws(DecodeError) {
        guard bytes.count >= (pixelCount + 61) / 62 + QOIHeader.endMark.count else { throw Self.truncated }
    }

    /// Writes all pixels, and checks the mark at the end.
    mutating func decode(into target: UnsafeMutableRawBufferPointer) throws(DecodeError) {
        var position = 0
        while position < target.count {
            for _ in 0..<(try chunk()) where position < target.count {
                target[position] = pixel.red
                target[position + 1] = pixel.green
                target[position + 2] = pixel.blue
                if format == .rgba8 { target[position + 3] = pixel.alpha }
                position += format.bytesPerPixel
            }
        }
        let end = bytes[next...].prefix(QOIHeader.endMark.count)
        guard !end.elementsEqual(QOIHeader.endMark) else { return }
        guard end.count == QOIHeader.endMark.count else { throw Self.truncated }
        throw DecodeError(.corrupt, format: .qoi, detail: "no mark at the end")
    }

    /// Reads a chunk, which changes the pixel; returns how often it stands.
    private mutating func chunk() throws(DecodeError) -> Int {
        let tag = Int(try byte())
        var count = 1
        switch tag {
        case 0xFE, 0xFF:
            (pixel.red, pixel.green, pixel.blue) = (try byte(), try byte(), try byte())
            if tag == 0xFF { pixel.alpha = try byte() }
        case 0x00...0x3F:
            pixel = seen[tag]
        case 0x40...0x7F:
            pixel = pixel.moved(red: (tag >> 4 & 3) - 2, green: (tag >> 2 & 3) - 2, blue: (tag & 3) - 2)
        case 0x80...0xBF:
            let green = (tag & 63) - 32
            let others = Int(try byte())
            pixel = pixel.moved(red: green + (others >> 4) - 8, green: green, blue: green + (others & 15) - 8)
        default:
            count = (tag & 63) + 1
        }
        seen[pixel.place] = pixel
        return count
    }

    private mutating func byte() throws(DecodeError) -> UInt8 {
        guard next < bytes.count else { throw Self.truncated }
        next += 1
        return bytes[next - 1]
    }

    private static let truncated = DecodeError(
        .truncated,
        format: .qoi,
        detail: "the file ends in its pixels"
    )
}
