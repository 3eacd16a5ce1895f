import CalotypeCore
import FoundationEssentials

/// JPEG XL codestreams, frame by frame, of zero pixels that take no bits (ISO/IEC 18181-1).
enum JPEGXLBuilding {
    /// The coded purpose of a frame.
    enum Kind: Int {
        case regular
        case referenceOnly = 2
    }

    static func header(_ size: PixelSize) -> Data {
        var bits = BitWriter()
        bits.put(0xFF, 8)
        bits.put(0x0A, 8)
        // Not small; the height, no ratio, the width; default metadata and transform.
        bits.put(0, 1)
        bits.putSide(size.height)
        bits.put(0, 3)
        bits.putSide(size.width)
        bits.put(3, 2)
        return bits.padded()
    }

    /// A frame at the upper left.
    ///
    /// - Parameters:
    ///   - size: `nil` for the size of the canvas.
    ///   - canvas: The size of the image.
    ///   - kind: The purpose of the frame.
    ///   - isLast: Whether no frame follows.
    ///   - isPermuted: Whether the frame claims a section order that does not follow.
    /// - Returns: The bytes of the frame.
    static func frame(
        _ size: PixelSize? = nil,
        canvas: PixelSize,
        kind: Kind = .regular,
        isLast: Bool = false,
        isPermuted: Bool = false
    ) -> Data {
        let area = size ?? canvas
        let isPartial = area.width < canvas.width || area.height < canvas.height
        var bits = BitWriter()
        bits.put(0, 1)
        bits.put(kind.rawValue, 2)
        // Modular, no flags, no upsampling, groups of 1024; one pass.
        bits.put(1, 1)
        bits.put(0, 4)
        bits.put(3, 2)
        if kind == .regular { bits.put(0, 2) }
        bits.put(size == nil ? 0 : 1, 1)
        if let size {
            if kind == .regular { bits.put(0, 20) }
            bits.putCrop(size.width)
            bits.putCrop(size.height)
        }
        if kind == .regular {
            bits.put(0, isPartial ? 4 : 2)
            bits.put(isLast ? 1 : 0, 1)
        }
        // Saved as the first reference, before the colour conversion if that is its only use.
        if !isLast {
            bits.put(1, 2)
            if kind == .referenceOnly || !isPartial { bits.put(kind == .referenceOnly ? 1 : 0, 1) }
        }
        // No name, no filters, no extensions.
        bits.put(0, 2 + 4 + 2 + 2)
        bits.put(isPermuted ? 1 : 0, 1)
        return contents(bits, area)
    }

    private static func contents(_ head: BitWriter, _ size: PixelSize) -> Data {
        var bits = head
        bits.pad()
        let sections = sections(size)
        for section in sections { bits.put(section.count << 2, 12) }
        return bits.padded() + sections.joined()
    }

    private static func sections(_ size: PixelSize) -> [Data] {
        var global = BitWriter()
        // Default weights; a tree of one leaf, whose numbers and pixels have one symbol each.
        global.put(3, 2)
        global.putSymbol(contextCount: 6)
        global.putSymbol(contextCount: 1)
        global.put(3, 4)
        let group = Data([3])
        func count(_ side: Int) -> Int {
            (size.width + side - 1) / side * ((size.height + side - 1) / side)
        }
        guard count(1_024) > 1 else { return [global.padded()] }
        let groups = { Array(repeating: group, count: count($0)) }
        return [global.padded()] + groups(8_192) + [Data()] + groups(1_024)
    }
}

/// Bit fields, least significant bit first.
private struct BitWriter {
    private var bytes = Data()
    private var bitCount = 0

    mutating func put(_ value: Int, _ count: Int) {
        for bit in 0..<count {
            if bitCount % 8 == 0 { bytes.append(0) }
            bytes[bitCount / 8] |= UInt8(value >> bit & 1) << (bitCount % 8)
            bitCount += 1
        }
    }

    mutating func pad() {
        put(0, (8 - bitCount % 8) % 8)
    }

    func padded() -> Data { bytes }

    /// Writes the side minus one in 9, 13, 18 or 30 bits, the fewest that suffice.
    mutating func putSide(_ side: Int) {
        putLeast(side - 1, [(9, 0), (13, 0), (18, 0), (30, 0)])
    }

    mutating func putCrop(_ side: Int) {
        putLeast(side, [(8, 0), (11, 256), (14, 2_304), (30, 18_688)])
    }

    private mutating func putLeast(_ value: Int, _ fields: [(count: Int, base: Int)]) {
        guard let place = fields.firstIndex(where: { value - $0.base < 1 << $0.count }) else { return }
        put(place, 2)
        put(value - fields[place].base, fields[place].count)
    }

    /// An entropy code with the single symbol 0 in all contexts: no LZ77, one cluster, a prefix code.
    mutating func putSymbol(contextCount: Int) {
        put(0, 1)
        if contextCount > 1 { put(1, 3) }
        put(1, 1)
        put(15, 4)
        put(0, 1)
    }
}
