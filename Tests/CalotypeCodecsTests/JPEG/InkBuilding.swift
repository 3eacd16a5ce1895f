import CalotypeTesting
import FoundationEssentials

/// A JPEG of 8 × 8 pixels of one colour with any number of components (ITU-T T.81 annex B).
struct FlatJPEG {
    /// The stored level of each component.
    var levels: [UInt8]
    /// The transform of the Adobe segment (0 for none, 2 for YCCK), or `nil` for no segment.
    var adobeTransform: UInt8?

    var data: Data {
        var data = Data([0xFF, 0xD8])
        if let adobeTransform {
            data += segment(0xEE, Data("Adobe".utf8) + bigEndian16(100) + Data(count: 4) + [adobeTransform])
        }
        data += segment(0xDB, Data([0]) + Data(repeating: 8, count: 64))
        let components = levels.indices.reduce(Data()) { $0 + [UInt8($1 + 1), 0x11, 0] }
        data += segment(
            0xC0,
            Data([8]) + bigEndian16(8) + bigEndian16(8) + [UInt8(levels.count)] + components
        )
        // Four-bit codes for the categories 0...8, and a one-bit code for the end of a block.
        data += segment(0xC4, Data([0, 0, 0, 0, 9]) + Data(count: 12) + Data(0...8))
        data += segment(0xC4, Data([0x10, 1]) + Data(count: 15) + [0])
        let selectors = levels.indices.reduce(Data()) { $0 + [UInt8($1 + 1), 0] }
        data += segment(0xDA, Data([UInt8(levels.count)]) + selectors + [0, 63, 0])
        return data + scan + [0xFF, 0xD9]
    }

    private func segment(_ marker: UInt8, _ payload: Data) -> Data {
        Data([0xFF, marker]) + bigEndian16(payload.count + 2) + payload
    }

    private var scan: Data {
        var bits = ""
        for level in levels {
            let value = Int(level) - 128
            let category = Int.bitWidth - abs(value).leadingZeroBitCount
            let code = value < 0 ? value + (1 << category) - 1 : value
            bits += Self.binary(category, 4) + Self.binary(code, category) + "0"
        }
        bits += String(repeating: "1", count: (8 - bits.count % 8) % 8)
        var bytes = Data()
        while !bits.isEmpty {
            let byte = UInt8(bits.prefix(8), radix: 2) ?? 0
            bytes += byte == 0xFF ? [0xFF, 0] : [byte]
            bits = String(bits.dropFirst(8))
        }
        return bytes
    }

    private static func binary(_ value: Int, _ count: Int) -> String {
        guard count > 0 else { return "" }
        let digits = String(value, radix: 2)
        return String(repeating: "0", count: count - digits.count) + digits
    }
}
