import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Copies the blocks of a GIF that are needed to show it (GIF89a sections 18 to 27).
struct GIFStripping {
    private static let loops = ["NETSCAPE2.0", "ANIMEXTS1.0"].map { Data($0.utf8) }

    private let file: Data
    private var reader: ByteReader
    private var result = Data()

    /// Returns the file without comments, texts and application extensions but the loop count.
    ///
    /// - Throws: `DecodeError` with `truncated` where the file ends within a block, and `corrupt` where no
    ///   block begins.
    static func strip(_ file: Data) throws(DecodeError) -> Data {
        var stripping = GIFStripping(file)
        try stripping.copyHeader()
        while let kind = stripping.reader.bigEndian(UInt8.self), kind != 0x3B {
            switch kind {
            case 0x21: try stripping.copyExtension()
            case 0x2C: try stripping.copyImage()
            // Padding that some encoders leave between blocks.
            case 0: continue
            default: throw DecodeError(.corrupt, format: .gif, detail: "no block begins with \(kind)")
            }
        }
        return stripping.result + [0x3B]
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
        let (start, _) = try passBlocks()
        result += file.dropFirst(start).prefix(reader.offset - start)
    }

    private mutating func copyExtension() throws(DecodeError) {
        let label = try read(1)
        let (start, first) = try passBlocks()
        switch label.first {
        case 0xF9: result += [0x21] + label + file.dropFirst(start).prefix(reader.offset - start)
        case 0xFF where Self.loops.contains(first):
            // The name, and one block of three bytes: 1, and the count.
            let block = file.dropFirst(start + 12).prefix(4)
            guard block.starts(with: [3, 1]), block.count == 4 else { return }
            result += [0x21, 0xFF, 11] + first + block + [0]
        default: break
        }
    }

    private mutating func copyColors(_ flags: UInt8) throws(DecodeError) {
        guard flags & 0x80 != 0 else { return }
        result += try read(3 << (Int(flags & 7) + 1))
    }

    /// Passes sub-blocks up to the empty one; returns where they start, and the bytes of the first.
    private mutating func passBlocks() throws(DecodeError) -> (start: Int, first: Data) {
        let start = reader.offset
        var first: Data?
        while true {
            let byteCount = try read(1).first ?? 0
            guard byteCount > 0 else { return (start, first ?? Data()) }
            let block = try read(Int(byteCount))
            first = first ?? block
        }
    }

    private mutating func read(_ byteCount: Int) throws(DecodeError) -> Data {
        guard let bytes = reader.bytes(byteCount) else { throw .cutOff(.gif) }
        return bytes
    }
}
