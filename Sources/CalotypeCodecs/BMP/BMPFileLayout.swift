import CalotypeCore
import FoundationEssentials

struct BMPFileLayout {
    let size: PixelSize
    let format: PixelFormat

    init(_ size: PixelSize, _ format: PixelFormat) {
        self.size = size
        self.format = format
    }

    /// `BITMAPV4HEADER` for masks, otherwise `BITMAPINFOHEADER`.
    private var headerByteCount: Int { format == .rgba8 ? 108 : 40 }

    /// The number of bytes before the pixels.
    var headByteCount: Int { 14 + headerByteCount + (format == .gray8 ? 1024 : 0) }

    /// The distance between rows in bytes.
    var rowByteCount: Int { (size.width * format.bytesPerPixel + 3) / 4 * 4 }

    var byteCount: Int {
        let (rows, overflow) = rowByteCount.multipliedReportingOverflow(by: size.height)
        return overflow ? .max : headByteCount + rows
    }

    /// The bytes before the pixels.
    var head: Data {
        var head = Data([0x42, 0x4D]) + words([byteCount, 0, headByteCount])
        head += words([headerByteCount, size.width, size.height])
        head += shorts([1, format.bytesPerPixel * 8])
        // Compression, bytes of pixels, 72 pixels an inch, colours in the palette.
        let compression = format == .rgba8 ? BMPHeader.Compression.bitFields : .none
        head += words([Int(compression.rawValue), byteCount - headByteCount, 2835, 2835])
        head += words(format == .gray8 ? [256, 0] : [0, 0])
        switch format {
        case .gray8:
            for level in UInt8.min...UInt8.max { head += Data([level, level, level, 0]) }
        case .rgb8, .rgba16, .rgbaF16:
            // Images of more than 8 bits have been rounded before.
            break
        case .rgba8:
            head += words([0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000])
            // sRGB, without end points and curves.
            head += words([0x7352_4742]) + Data(count: 48)
        }
        return head
    }

    /// Writes one row in the order blue, green, red, with zeros as padding.
    func writeRow(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        precondition(source.count >= size.width * format.bytesPerPixel && target.count >= rowByteCount)
        // Neither is empty, so both have an address.
        guard let from = unsafe source.baseAddress?.assumingMemoryBound(to: UInt8.self),
            let to = unsafe target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return }
        let step = format.bytesPerPixel
        for place in size.width * step..<rowByteCount { unsafe to[place] = 0 }
        guard step > 1 else { return unsafe to.update(from: from, count: size.width) }
        for pixel in stride(from: 0, to: size.width * step, by: step) {
            unsafe to[pixel] = from[pixel + 2]
            unsafe to[pixel + 1] = from[pixel + 1]
            unsafe to[pixel + 2] = from[pixel]
            if step == 4 { unsafe to[pixel + 3] = from[pixel + 3] }
        }
    }

    private func words(_ values: [Int]) -> Data {
        Data(values.flatMap { value in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) } })
    }

    private func shorts(_ values: [Int]) -> Data {
        Data(values.flatMap { value in [0, 8].map { UInt8(truncatingIfNeeded: value >> $0) } })
    }
}
