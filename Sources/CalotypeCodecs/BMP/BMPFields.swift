import CalotypeCore
import FoundationEssentials

/// The fields of a bitmap's header by offset; fields that an older version lacks are 0.
struct BMPFields {
    private let bytes: [UInt8]
    /// The stated size of the header.
    let byteCount: Int

    /// Reads the header at the start of `bitmap`.
    init(_ bitmap: Data) throws(DecodeError) {
        guard bitmap.count >= 4 else { throw .truncatedBMP("the file ends before the header") }
        let head = [UInt8](bitmap.prefix(Self.maxByteCount))
        let stated = Self.unsigned(head, at: 0)
        guard stated == 12 || (16...64).contains(stated) || stated == 108 || stated == Self.maxByteCount
        else {
            throw .corruptBMP("a header of \(stated) bytes instead of 12, 16...64, 108 or 124")
        }
        guard head.count >= stated else {
            throw .truncatedBMP("\(head.count) bytes of a header of \(stated)")
        }
        byteCount = stated
        bytes = head.prefix(stated) + [UInt8](repeating: 0, count: Self.maxByteCount - stated)
    }

    /// The size of version 5.
    private static let maxByteCount = 124

    /// True for `BITMAPCOREHEADER`.
    var isCore: Bool { byteCount == 12 }

    /// True for a header of OS/2 2, which may end after any field.
    var isOS2: Bool { byteCount <= 64 && ![12, 40, 52, 56].contains(byteCount) }

    /// Width and height; the height is negative for rows from top to bottom.
    var sides: (width: Int, height: Int) {
        if isCore { return (short(at: 4), short(at: 6)) }
        return (signed(at: 4), signed(at: 8))
    }

    var bitsPerPixel: Int { short(at: isCore ? 10 : 14) }

    func compression() throws(DecodeError) -> BMPHeader.Compression {
        let value = isCore ? 0 : unsigned(at: 16)
        // 3 and 4 are Huffman codes and run lengths of 24 bits in OS/2.
        if !isOS2 || value < 3, let compression = BMPHeader.Compression(rawValue: UInt32(value)) {
            return compression
        }
        throw DecodeError(
            .unsupportedFeature,
            format: .bmp,
            detail: "unsupported BMP compression \(value) (header of \(byteCount) bytes)"
        )
    }

    /// Reads the channel masks, and returns the size of the header including masks that may follow it.
    ///
    /// Masks are part of the header from its version 2 on, before that they follow it. They apply to bit
    /// fields only, except for alpha, which writers of versions 4 and 5 also state for uncompressed pixels.
    func masks(_ compression: BMPHeader.Compression, _ bitmap: Data) throws(DecodeError) -> (Int, BMPMasks) {
        var plain = BMPMasks(bitsPerPixel: bitsPerPixel)
        guard compression.hasMasks else {
            let alpha = unsigned(at: 52)
            if byteCount >= 108, bitsPerPixel == 32, alpha == 0xFF00_0000 { plain.alpha = UInt32(alpha) }
            return (byteCount, plain)
        }
        guard byteCount == 40 else {
            let alpha = byteCount >= 56 ? unsigned(at: 52) : 0
            let colors = (unsigned(at: 40), unsigned(at: 44), unsigned(at: 48))
            return (byteCount, try BMPMasks(red: colors.0, green: colors.1, blue: colors.2, alpha: alpha))
        }
        let extra = [UInt8](bitmap.dropFirst(40).prefix(compression == .alphaBitFields ? 16 : 12))
        guard extra.count == (compression == .alphaBitFields ? 16 : 12) else {
            throw .truncatedBMP("the file ends in the masks")
        }
        let values = stride(from: 0, to: extra.count, by: 4).map { Self.unsigned(extra, at: $0) }
        let alpha = values.count > 3 ? values[3] : 0
        let masks = try BMPMasks(red: values[0], green: values[1], blue: values[2], alpha: alpha)
        return (40 + extra.count, masks)
    }

    /// The range of the embedded profile of version 5 (`PROFILE_EMBEDDED`).
    var profile: Range<Int>? {
        guard byteCount == 124, unsigned(at: 56) == 0x4D42_4544 else { return nil }
        let (start, count) = (unsigned(at: 112), unsigned(at: 116))
        return count > 0 ? start..<start + count : nil
    }

    // MARK: - Reading

    func unsigned(at offset: Int) -> Int {
        isCore ? 0 : Self.unsigned(bytes, at: offset)
    }

    private func signed(at offset: Int) -> Int {
        Int(Int32(truncatingIfNeeded: Self.unsigned(bytes, at: offset)))
    }

    private func short(at offset: Int) -> Int {
        Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    }

    private static func unsigned(_ bytes: [UInt8], at offset: Int) -> Int {
        bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
