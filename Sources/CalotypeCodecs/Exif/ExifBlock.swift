import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The Exif block of a file, found without decoding any pixels.
///
/// The walk over segments, chunks or boxes is bounded by ``partCountMax`` and never reads what they hold.
enum ExifBlock {
    /// The most segments, chunks or boxes before the block.
    private static let partCountMax = 20_000
    private static let byteCountMax = 1 << 20

    /// Returns the block, a TIFF with or without JPEG's prefix; `nil` where there is none.
    static func block(of file: Data, format: ImageFormat) -> Data? {
        switch format {
        case .jpeg: ofJPEG(file)
        case .png: ofPNG(file)
        case .webP: ofWebP(file)
        case .avif, .heic: ofHEIF(file, format)
        case .jpegXL: ofJPEGXL(file)
        // These are TIFF files, and so is a block.
        case .tiff, .dng, .cr2, .nef, .arw, .pef, .srw: file
        default: nil
        }
    }

    private static func ofJPEG(_ file: Data) -> Data? {
        JPEGSegments(file).prefix(partCountMax).first {
            $0.marker == 0xE1 && $0.payload.starts(with: Data("Exif\0\0".utf8))
        }?.payload
    }

    private static func ofPNG(_ file: Data) -> Data? {
        PNGChunks(file).prefix(partCountMax).first { $0.type == .exif }?.payload
    }

    private static func ofWebP(_ file: Data) -> Data? {
        var start = 12
        for _ in 0..<partCountMax {
            guard let chunk = WebPChunk(file, at: start), chunk.payload.upperBound <= file.count else {
                return nil
            }
            if chunk.type == .exif {
                return file.dropFirst(chunk.payload.lowerBound).prefix(chunk.payload.count)
            }
            start = chunk.next
        }
        return nil
    }

    /// The item of the type `Exif`, with an offset of 32 bits before the block (ISO/IEC 23008-12 annex A.2).
    private static func ofHEIF(_ file: Data, _ format: ImageFormat) -> Data? {
        do throws(DecodeError) {
            let items = try HEIFItems(file, boxes: ISOBox.wholeBoxes(in: file, countMax: 256), format: format)
            let ids = items.items.filter { $0.value.type == ISOBoxType("Exif") }.keys
            guard let id = ids.min(), let item = items.items[id] else { return nil }
            let byteCount = item.extents.reduce(0) { min($0, byteCountMax) + min($1.byteCount, byteCountMax) }
            guard item.extents.count <= 64, byteCount <= byteCountMax else { return nil }
            return afterOffset(try items.bytes(of: item))
        } catch {
            // The decode of the image reports damage.
            return nil
        }
    }

    /// A box `Exif` of the container (ISO/IEC 18181-2 section 9.2); one that is compressed is not read.
    private static func ofJPEGXL(_ file: Data) -> Data? {
        guard file.starts(with: [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20]) else { return nil }
        let boxes = ISOBox.wholeBoxes(in: file, countMax: partCountMax)
        return boxes.first { $0.type == ISOBoxType("Exif") }.flatMap { afterOffset($0.payload) }
    }

    private static func afterOffset(_ bytes: Data) -> Data? {
        var reader = ByteReader(bytes)
        guard let offset = reader.bigEndian(UInt32.self), Int(offset) < reader.remainingByteCount else {
            return nil
        }
        return bytes.dropFirst(4 + Int(offset))
    }
}
