import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Copies the blocks of a GIF that are needed to show it (GIF89a sections 18 to 27).
struct GIFStripping {
    private static let loops = ["NETSCAPE2.0", "ANIMEXTS1.0"].map { Data($0.utf8) }

    private let file: Data
    private var reader: ByteReader
    private var result = Data()

    /// Returns the file without comments, texts and application extensions other than the loop count.
    ///
    /// A missing trailer is not added.
    ///
    /// - Throws: `DecodeError` with `truncated` if the file ends within a block, and `corrupt` for an invalid
    ///   block type.
    static func strip(_ file: Data) throws(DecodeError) -> Data {
        var stripping = GIFStripping(file)
        try stripping.copyHeader()
        while let kind = stripping.reader.bigEndian(UInt8.self) {
            switch kind {
            case 0x3B: return stripping.result + [0x3B]
            case 0x21: try stripping.copyExtension()
            case 0x2C: try stripping.copyImage()
            // Padding that some encoders leave between blocks.
            case 0: continue
            default: throw DecodeError(.corrupt, format: .gif, detail: "invalid block type \(kind)")
            }
        }
        return stripping.result
    }

    private init(_ file: Data) {
        self.file = file
        reader = ByteReader(file)
        result.reserveCapacity(file.count)
    }

    private mutating func copyHeader() throws(DecodeError) {
        let header = try read(13)
        result += header
        try copyColors(header[header.startIndex + 10])
    }

    private mutating func copyImage() throws(DecodeError) {
        let descriptor = try read(9)
        result += [0x2C] + descriptor
        try copyColors(descriptor[descriptor.startIndex + 8])
        result += try read(1)
        let start = reader.offset
        try passBlocks { _ in }
        result += part(start..<reader.offset)
    }

    /// Copies the part of an extension that decoders read: the first four bytes of a graphic control, or the
    /// last block with a loop count of an application extension.
    private mutating func copyExtension() throws(DecodeError) {
        let (label, file) = (try read(1).first, file)
        var (first, loop) = (0..<0, Range<Int>?.none)
        try passBlocks { block in
            if first.isEmpty {
                first = block
            } else if block.count >= 3, file.span[block.lowerBound] & 7 == 1 {
                loop = block
            }
        }
        if label == 0xF9, first.count >= 4 {
            result += [0x21, 0xF9, 4] + part(first).prefix(4) + [0]
        } else if label == 0xFF, Self.loops.contains(part(first)), let loop {
            result += [0x21, 0xFF, 11] + part(first) + [3, 1] + part(loop).dropFirst().prefix(2) + [0]
        }
    }

    private mutating func copyColors(_ flags: UInt8) throws(DecodeError) {
        guard flags & 0x80 != 0 else { return }
        result += try read(3 << (Int(flags & 7) + 1))
    }

    /// Skips sub-blocks through the empty one, and reports the range of each.
    private mutating func passBlocks(_ show: (Range<Int>) -> Void) throws(DecodeError) {
        let bytes = file.span
        var offset = reader.offset
        while offset < bytes.count, bytes[offset] > 0 {
            let end = offset + 1 + Int(bytes[offset])
            guard end < bytes.count else { throw .cutOff(.gif) }
            show(offset + 1..<end)
            offset = end
        }
        guard reader.bytes(offset + 1 - reader.offset) != nil else { throw .cutOff(.gif) }
    }

    private func part(_ range: Range<Int>) -> Data {
        file.dropFirst(range.lowerBound).prefix(range.count)
    }

    private mutating func read(_ byteCount: Int) throws(DecodeError) -> Data {
        guard let bytes = reader.bytes(byteCount) else { throw .cutOff(.gif) }
        return bytes
    }
}
