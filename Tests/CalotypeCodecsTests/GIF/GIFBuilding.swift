import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// A GIF file assembled block by block.
struct GIFFile {
    struct Frame {
        var left = 0
        var top = 0
        var width: Int
        var height: Int
        /// Row by row, in display order.
        var indexes: [UInt8]
        var palette: [RGBColor]?
        var isInterlaced = false
        var disposal = 0
        var transparentIndex: Int?
        /// In 1/100 s.
        var delay = 10
    }

    static let red = RGBColor(red: 255, green: 0, blue: 0)
    static let green = RGBColor(red: 0, green: 255, blue: 0)
    static let blue = RGBColor(red: 0, green: 0, blue: 255)

    var width: Int
    var height: Int
    var palette: [RGBColor]? = [.black, red, green, blue]
    var background = 0
    var loopCount: Int?
    var loopName = "NETSCAPE2.0"
    var frames: [Frame]
    /// Raw blocks before the first frame.
    var extensions = Data()
    var trailer = Data([0x3B])

    var data: Data {
        var data = Data("GIF89a".utf8) + littleEndian16(width) + littleEndian16(height)
        data += Data([Self.flags(palette), UInt8(background), 0]) + Self.table(palette)
        if let loopCount {
            data += Data([0x21, 0xFF, 11]) + Data(loopName.utf8) + Data([3, 1]) + littleEndian16(loopCount)
            data.append(0)
        }
        data += extensions
        for frame in frames { data += Self.control(frame) + Self.image(frame) }
        return data + trailer
    }

    private static func control(_ frame: Frame) -> Data {
        let flags = UInt8(frame.disposal << 2 | (frame.transparentIndex == nil ? 0 : 1))
        return Data([0x21, 0xF9, 4, flags]) + littleEndian16(frame.delay)
            + Data([UInt8(frame.transparentIndex ?? 0), 0])
    }

    static func image(_ frame: Frame) -> Data {
        var data = Data([0x2C])
        for value in [frame.left, frame.top, frame.width, frame.height] { data += littleEndian16(value) }
        data.append(flags(frame.palette) | (frame.isInterlaced ? 0x40 : 0))
        return data + table(frame.palette) + codes(frame.isInterlaced ? interlaced(frame) : frame.indexes)
    }

    /// Codes of one width: the table is cleared before they would grow.
    static func codes(_ indexes: [UInt8], codeSize: Int = 8) -> Data {
        let clear = 1 << codeSize
        var codes = [clear]
        for (position, index) in indexes.enumerated() {
            if position > 0, position.isMultiple(of: clear - 2) { codes.append(clear) }
            codes.append(Int(index))
        }
        return blocks(codes + [clear + 1], codeSize: codeSize)
    }

    /// Codes of `codeSize` + 1 bits, in data blocks.
    static func blocks(_ codes: [Int], codeSize: Int) -> Data {
        var bytes: [UInt8] = []
        var (bits, bitCount) = (0, 0)
        for code in codes {
            bits |= code << bitCount
            bitCount += codeSize + 1
            while bitCount >= 8 {
                bytes.append(UInt8(bits & 255))
                (bits, bitCount) = (bits >> 8, bitCount - 8)
            }
        }
        if bitCount > 0 { bytes.append(UInt8(bits & 255)) }
        var data = Data([UInt8(codeSize)])
        for start in stride(from: 0, to: bytes.count, by: 255) {
            let block = bytes[start..<min(start + 255, bytes.count)]
            data += Data([UInt8(block.count)]) + Data(block)
        }
        return data + Data([0])
    }

    private static func interlaced(_ frame: Frame) -> [UInt8] {
        let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]
        let rows = passes.flatMap { start, step in stride(from: start, to: frame.height, by: step) }
        return rows.flatMap { frame.indexes[$0 * frame.width..<($0 + 1) * frame.width] }
    }

    private static func bits(_ palette: [RGBColor]) -> Int {
        (1...8).first { 1 << $0 >= palette.count } ?? 8
    }

    private static func flags(_ palette: [RGBColor]?) -> UInt8 {
        palette.map { UInt8(0x80 | bits($0) - 1) } ?? 0
    }

    private static func table(_ palette: [RGBColor]?) -> Data {
        guard let palette else { return Data() }
        let colors = palette.flatMap { [$0.red, $0.green, $0.blue] }
        return Data(colors) + Data(count: 3 * (1 << bits(palette)) - colors.count)
    }
}

extension GIFFile.Frame {
    static func filled(
        _ index: UInt8,
        left: Int = 0,
        top: Int = 0,
        width: Int,
        height: Int,
        disposal: Int = 0,
        transparentIndex: Int? = nil
    ) -> GIFFile.Frame {
        GIFFile.Frame(
            left: left,
            top: top,
            width: width,
            height: height,
            indexes: [UInt8](repeating: index, count: width * height),
            disposal: disposal,
            transparentIndex: transparentIndex
        )
    }
}

func littleEndian16(_ value: Int) -> Data {
    Data(bigEndian16(value).reversed())
}

extension Image {
    /// The pixels as letters: r, g, b, k for black, w for white, ? for others, a dot for transparent.
    var letters: String {
        let rgba = [UInt8](rgba8())
        let names: [[UInt8]: Character] = [
            [0, 0, 0, 255]: "k", [255, 0, 0, 255]: "r", [0, 255, 0, 255]: "g", [0, 0, 255, 255]: "b",
            [255, 255, 255, 255]: "w", [0, 0, 0, 0]: ".",
        ]
        let rows = (0..<size.height).map { y in
            String(
                (0..<size.width).map { x in
                    let start = (y * size.width + x) * 4
                    return names[[UInt8](rgba[start..<start + 4])] ?? "?"
                }
            )
        }
        return rows.joined(separator: "/")
    }
}
