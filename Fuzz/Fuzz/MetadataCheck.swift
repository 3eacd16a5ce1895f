import CalotypeCore
import CalotypeTesting
import FoundationEssentials

@testable import CalotypeCodecs

/// The checks of metadata that results retain: Exif edited in place, XMP, and files with both.
enum MetadataCheck {
    private static let size = PixelSize(width: 8, height: 6)
    private static let image = TestImages.asymmetric(size)
    private static let encoders: [any ImageEncoder] = {
        let options = EncodeOptions(keepsMetadata: true)
        return [
            JPEGEncoder(options: options), PNGEncoder(options: options),
            WebPEncoder(isLossless: true, options: options),
        ]
    }()

    // MARK: Exif

    /// Checks that an edited block states upright pixels, has no thumbnail, and is otherwise unchanged.
    static func checkExif(_ input: Data) {
        guard var edited = EditedExif(input) else { return }
        let block = [UInt8](input.starts(with: Data("Exif\0\0".utf8)) ? input.dropFirst(6) : input)
        edited.makeUpright()
        checkBytes(edited.bytes, of: block)
        checkUpright(edited)
        guard var again = EditedExif(Data(edited.bytes)) else {
            preconditionFailure("an edited block can be edited again")
        }
        again.makeUpright()
        precondition(again.bytes == edited.bytes, "an upright block does not change")
        again.setSize(PixelSize(width: 70_000, height: 1))
        checkUpright(again)
        again.setSize(size)
        edited.setSize(size)
        precondition(again.bytes == edited.bytes, "the last size is stated")
        precondition(EditedExif(Data(edited.bytes)) != nil, "a size does not damage the first directory")
        checkUpright(edited)
        checkFiles(with: MetadataBlocks(exif: Data(edited.bytes)))
    }

    /// Checks that only the first directory changes, and the bytes of the thumbnail, which become zero.
    private static func checkBytes(_ edited: [UInt8], of block: [UInt8]) {
        precondition(edited.count <= block.count, "an edited block is not longer")
        let directory = firstDirectory(of: block)
        for index in edited.indices where edited[index] != block[index] && !directory.contains(index) {
            precondition(edited[index] == 0, "a byte outside of the first directory is zero or unchanged")
        }
    }

    /// The directory with its count and the offset of the next one.
    private static func firstDirectory(of block: [UInt8]) -> Range<Int> {
        let isLittleEndian = block[0] == UInt8(ascii: "I")
        let integer = { (bytes: ArraySlice<UInt8>) in
            (isLittleEndian ? Array(bytes.reversed()) : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
        }
        let start = integer(block[4..<8])
        return start..<start + 2 + 12 * integer(block[start..<start + 2]) + 4
    }

    private static func checkUpright(_ edited: EditedExif) {
        let block = Data(edited.bytes)
        let orientations = [ExifFields(block).orientation, Exif(block: block)?.orientation]
        precondition(orientations.allSatisfy { $0 == nil || $0 == .up }, "the block states upright pixels")
        guard block.count < 65_000 else { return }
        let head = Data([0xFF, 0xD8]) + jpegSegment(0xE1, Data("Exif\0\0".utf8) + block)
        precondition(ExifThumbnail(jpeg: head) == nil, "no thumbnail is left")
    }

    // MARK: XMP

    /// Checks that a packet states upright pixels, and is otherwise unchanged.
    static func checkXMP(_ input: Data) {
        let upright = XMPPacket.upright(input)
        guard !upright.isEmpty else { return }
        precondition(upright.count == input.count, "the length does not change")
        for (before, after) in zip(input, upright) where before != after {
            precondition((0x32...0x38).contains(before) && after == 0x31, "only orientations change")
        }
        precondition(XMPPacket.upright(upright) == upright, "an upright packet does not change")
        precondition(!statesOrientation([UInt8](upright)), "the packet states upright pixels")
        checkFiles(with: MetadataBlocks(xmp: upright))
    }

    /// Whether a property has an orientation other than 1, as an attribute or an element without attributes,
    /// with the blanks that XML allows.
    private static func statesOrientation(_ packet: [UInt8]) -> Bool {
        let name = Array("tiff:Orientation".utf8)
        var start = 0
        while let found = packet.offset(of: "tiff:Orientation", from: start) {
            start = found + name.count
            let rest = packet[start...].prefix(64).filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            let isAttribute = rest.starts(with: "=\"".utf8) || rest.starts(with: "='".utf8)
            let value = rest.dropFirst(isAttribute ? 2 : 1)
            let isElement =
                found > 0 && packet[found - 1] == UInt8(ascii: "<") && rest.first == UInt8(ascii: ">")
            guard isAttribute || isElement, let digit = value.first else { continue }
            let end = isAttribute ? rest.dropFirst().first : UInt8(ascii: "<")
            if (0x32...0x38).contains(digit), value.dropFirst().first == end { return true }
        }
        return false
    }

    // MARK: Files

    /// Checks that each format with metadata retains the blocks, and that readers show the image upright.
    private static func checkFiles(with blocks: MetadataBlocks) {
        let described = image.replacing(animation: nil, metadata: ImageMetadata(blocks: blocks))
        let expected = blocks.resized(to: size)
        for encoder in encoders {
            do {
                let file = try encoder.encode(described)
                let options = DecodeOptions(limits: DecoderCheck.limits, keepsMetadata: true)
                let again = try CodecRegistry.standard.decode(file, options: options)
                precondition(again.size == size, "metadata does not turn the image")
                let read = again.metadata.blocks ?? MetadataBlocks()
                for (read, written) in [(read.exif, expected.exif), (read.xmp, expected.xmp)] {
                    let isOmitted = read.isEmpty && written.count > 65_000 && encoder.format == .jpeg
                    precondition(read == written || isOmitted, "\(encoder.format): a block does not change")
                }
            } catch {
                preconditionFailure("\(encoder.format): \(error)")
            }
        }
    }
}

/// Returns a segment with at most 65,533 bytes (ITU-T T.81 section B.1.1.4).
func jpegSegment(_ marker: UInt8, _ payload: Data) -> Data {
    let byteCount = payload.count + 2
    return Data([0xFF, marker, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF)]) + payload
}
