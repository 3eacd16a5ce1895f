import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The Exif block of a file, found without decoding any pixels.
///
/// Scans a limited number of segments, chunks or boxes without reading their content.
enum ExifBlock {
    /// The maximum number of segments, chunks or boxes before the block.
    private static let maxPartCount = 20_000
    /// The maximum size of a block in several extents, which are joined.
    private static let maxByteCount = 1 << 20

    /// Finds the block, a TIFF with or without JPEG's prefix; `nil` without one.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - format: Its format.
    ///   - maxPartCount: The most segments, chunks or boxes before the block.
    /// - Returns: The block.
    static func block(
        of file: Data,
        format: ImageFormat,
        maxPartCount: Int = maxPartCount
    ) -> Data? {
        switch format {
        case .jpeg: ofJPEG(file, maxPartCount)
        case .png: ofPNG(file, maxPartCount)
        case .webP: ofWebP(file, maxPartCount)
        case .avif, .heic: ofHEIF(file, format)
        case .jpegXL: ofJPEGXL(file, maxPartCount)
        // These formats are TIFF files, and so is a block.
        case .tiff, .dng, .cr2, .nef, .arw, .pef, .srw: file
        default: nil
        }
    }

    /// Returns the first segment with content after the prefix, like libjpeg's reader.
    private static func ofJPEG(_ file: Data, _ maxPartCount: Int) -> Data? {
        let prefix = Data("Exif\0\0".utf8)
        return JPEGSegments(file, passingPadding: true).prefix(maxPartCount).first {
            $0.marker == 0xE1 && $0.payload.count > prefix.count && $0.payload.starts(with: prefix)
        }?.payload
    }

    private static func ofPNG(_ file: Data, _ maxPartCount: Int) -> Data? {
        PNGChunks(file).prefix(maxPartCount).first { $0.type == .exif }?.payload
    }

    /// Returns the first chunk before the stated end of the file.
    private static func ofWebP(_ file: Data, _ maxPartCount: Int) -> Data? {
        guard let end = WebPChunk(file, at: 0)?.payload.upperBound else { return nil }
        let file = file.prefix(end)
        var start = 12
        for _ in 0..<maxPartCount {
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

    /// Returns the item of type `Exif`, which starts with a 32-bit offset of the block (ISO/IEC 23008-12
    /// annex A.2).
    private static func ofHEIF(_ file: Data, _ format: ImageFormat) -> Data? {
        do throws(DecodeError) {
            let items = try HEIFItems(file, boxes: ISOBox.wholeBoxes(in: file, maxCount: 256), format: format)
            let ids = items.items.filter { $0.value.type == ISOBoxType("Exif") }.keys
            guard let id = ids.min(), let item = items.items[id] else { return nil }
            // A single extent is not copied.
            if item.extents.count > 1 {
                let byteCounts = item.extents.map(\.byteCount)
                guard byteCounts.count <= 64, byteCounts.allSatisfy({ (1...maxByteCount).contains($0) }),
                    byteCounts.reduce(0, +) <= maxByteCount
                else { return nil }
            }
            return afterOffset(try items.bytes(of: item))
        } catch {
            // The decode of the image reports damage.
            return nil
        }
    }

    /// Returns a box `Exif` of the container (ISO/IEC 18181-2 section 9.2); a compressed one is ignored.
    private static func ofJPEGXL(_ file: Data, _ maxPartCount: Int) -> Data? {
        guard file.starts(with: [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20]) else { return nil }
        let boxes = ISOBox.wholeBoxes(in: file, maxCount: maxPartCount)
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
