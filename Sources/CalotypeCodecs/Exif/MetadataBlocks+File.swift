import CalotypeCore
import CalotypeSupport
import FoundationEssentials

extension MetadataBlocks {
    /// Reads the blocks of a file, for upright pixels; `nil` without any.
    ///
    /// Exif and XMP of JPEG, PNG, WebP, AVIF, HEIC and JPEG XL, IPTC of JPEG. Compressed and oversized blocks
    /// are not read, nor is XMP in several segments.
    init?(of file: Data, format: ImageFormat) {
        guard let source = BlockSource(file, format) else { return nil }
        self.init(
            exif: Self.upright(ExifBlock.block(of: file, format: format)),
            xmp: XMPPacket.upright(source.xmp),
            iptc: format == .jpeg ? Self.records(of: file) : Data()
        )
        if isEmpty { return nil }
    }

    /// The blocks for a result of a size.
    func resized(to size: PixelSize) -> MetadataBlocks {
        guard var edited = EditedExif(exif) else { return MetadataBlocks(xmp: xmp, iptc: iptc) }
        edited.setSize(size)
        return MetadataBlocks(exif: Data(edited.bytes), xmp: xmp, iptc: iptc)
    }

    private static func upright(_ exif: Data?) -> Data {
        guard let exif, exif.count <= maxByteCount, var edited = EditedExif(exif) else { return Data() }
        edited.makeUpright()
        return Data(edited.bytes)
    }

    /// Returns the records in the first of Photoshop's segments that has the resource for them (IIM 4.2
    /// chapter 3; Adobe Photoshop File Formats, image resources).
    private static func records(of file: Data) -> Data {
        let identifier = Data("Photoshop 3.0\0".utf8)
        for segment in JPEGSegments(file, passingPadding: true).prefix(BlockSource.maxPartCount)
        where segment.marker == 0xED && segment.payload.starts(with: identifier) {
            var reader = ByteReader(segment.payload.dropFirst(identifier.count))
            while reader.bigEndian(UInt32.self) == 0x3842_494D, let id = reader.bigEndian(UInt16.self),
                let nameByteCount = reader.bigEndian(UInt8.self),
                // With its count, the name has an even number of bytes, and so have the values.
                reader.bytes(Int(nameByteCount) | 1) != nil,
                let byteCount = reader.bigEndian(UInt32.self), let value = reader.bytes(Int(byteCount))
            {
                if id == 0x0404 { return hasPreview(value) ? Data() : Data(value) }
                _ = reader.bytes(value.count % 2)
            }
        }
        return Data()
    }

    /// Whether records contain a preview (IIM 4.2 dataset 2:202) or an object (record 8), or data that is
    /// long enough for one.
    private static func hasPreview(_ records: Data) -> Bool {
        var reader = ByteReader(records)
        while reader.bigEndian(UInt8.self) == 0x1C, let record = reader.bigEndian(UInt8.self),
            let dataSet = reader.bigEndian(UInt8.self), let byteCount = reader.bigEndian(UInt16.self)
        {
            if record == 8 || record == 2 && dataSet == 202 || byteCount >= 0x8000 { return true }
            guard reader.bytes(Int(byteCount)) != nil else { return false }
        }
        return false
    }
}

/// The XMP of a file, found without decoding; scans a limited number of segments, chunks or boxes.
private struct BlockSource {
    static let maxPartCount = 20_000

    /// The bytes of the packet, unchecked; `nil` without any.
    let xmp: Data?

    /// Fails for formats whose blocks are not read.
    init?(_ file: Data, _ format: ImageFormat) {
        switch format {
        case .jpeg: xmp = Self.ofJPEG(file)
        case .png: xmp = Self.ofPNG(file)
        case .webP: xmp = Self.ofWebP(file)
        case .jpegXL: xmp = Self.ofJPEGXL(file)
        case .avif, .heic: xmp = Self.ofHEIF(file, format)
        default: return nil
        }
    }

    private static func ofJPEG(_ file: Data) -> Data? {
        let identifier = Data("http://ns.adobe.com/xap/1.0/\0".utf8)
        return JPEGSegments(file, passingPadding: true).prefix(maxPartCount).first {
            $0.marker == 0xE1 && $0.payload.starts(with: identifier)
        }?.payload.dropFirst(identifier.count)
    }

    /// Uncompressed, in any language.
    private static func ofPNG(_ file: Data) -> Data? {
        let head = Data("XML:com.adobe.xmp\0\0\0".utf8)
        let type = PNGChunkType("iTXt")
        let chunk = PNGChunks(file).prefix(maxPartCount).first {
            $0.type == type && $0.payload.starts(with: head)
        }
        guard var text = chunk?.payload.dropFirst(head.count) else { return nil }
        // The language and the translated keyword.
        for _ in 0..<2 {
            guard let end = text.firstIndex(of: 0) else { return nil }
            text = text[(end + 1)...]
        }
        return text
    }

    private static func ofWebP(_ file: Data) -> Data? {
        guard let end = WebPChunk(file, at: 0)?.payload.upperBound else { return nil }
        let file = file.prefix(end)
        var start = 12
        for _ in 0..<maxPartCount {
            guard let chunk = WebPChunk(file, at: start), chunk.payload.upperBound <= file.count else {
                return nil
            }
            if chunk.type == WebPChunkType("XMP ") {
                return file.dropFirst(chunk.payload.lowerBound).prefix(chunk.payload.count)
            }
            start = chunk.next
        }
        return nil
    }

    private static func ofJPEGXL(_ file: Data) -> Data? {
        guard file.starts(with: [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20]) else { return nil }
        let boxes = ISOBox.wholeBoxes(in: file, maxCount: maxPartCount)
        return boxes.first { $0.type == ISOBoxType("xml ") }?.payload
    }

    /// Returns the first item of a media type with the text of a packet.
    private static func ofHEIF(_ file: Data, _ format: ImageFormat) -> Data? {
        do throws(DecodeError) {
            let items = try HEIFItems(file, boxes: ISOBox.wholeBoxes(in: file, maxCount: 256), format: format)
            let mime = ISOBoxType("mime")
            for id in items.items.filter({ $0.value.type == mime }).keys.sorted().prefix(8) {
                guard let item = items.items[id], item.extents.count <= 64 else { continue }
                let byteCounts = item.extents.map(\.byteCount)
                guard byteCounts.allSatisfy({ (1...MetadataBlocks.maxByteCount).contains($0) }) else {
                    continue
                }
                let bytes = try items.bytes(of: item)
                if XMPPacket.isPacket(bytes) { return bytes }
            }
        } catch {
            // The decode of the image reports damage.
        }
        return nil
    }
}

/// An XMP packet (ISO 16684-1).
enum XMPPacket {
    /// The namespaces of gain maps, of thumbnails (XMP specification part 2, section 8.3), and of images and
    /// depth maps by Google.
    private static let namespacesOfPixels = [
        "http://ns.adobe.com/hdr-gain-map/", "http://ns.adobe.com/xap/1.0/g/img/",
        "http://ns.google.com/photos/1.0/image/", "http://ns.google.com/photos/1.0/depthmap/",
    ]

    /// Returns whether bytes begin like a packet.
    static func isPacket(_ bytes: Data) -> Bool {
        let head = [UInt8](bytes.prefix(1_024))
        return head.offset(of: "xmpmeta") != nil || head.offset(of: "rdf:RDF") != nil
    }

    /// Returns a copy that states upright pixels; empty for anything but a packet in UTF-8 of a valid size.
    ///
    /// Also empty for a description of gain maps, which would be missing, or of other pixels, and for a
    /// packet with an image, which would show the original's pixels.
    static func upright(_ packet: Data?) -> Data {
        guard let packet, packet.count <= MetadataBlocks.maxByteCount, isPacket(packet) else { return Data() }
        var bytes = [UInt8](packet)
        guard String(validating: bytes, as: UTF8.self) != nil,
            namespacesOfPixels.allSatisfy({ bytes.offset(of: $0) == nil })
        else { return Data() }
        let name = "tiff:Orientation"
        var start = 0
        while let found = bytes.offset(of: name, from: start) {
            start = found + name.utf8.count
            if let value = value(ofName: found..<start, in: bytes), (0x32...0x38).contains(bytes[value]) {
                bytes[value] = 0x31
            }
        }
        return Data(bytes)
    }

    /// Returns the offset of the value of an attribute, or of an element without attributes; XML allows
    /// blanks around the equals sign and in an element.
    private static func value(ofName name: Range<Int>, in bytes: [UInt8]) -> Int? {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        func next(from start: Int) -> Int? { bytes[start...].firstIndex { !blanks.contains($0) } }
        guard let mark = next(from: name.upperBound) else { return nil }
        if bytes[mark] == UInt8(ascii: ">") {
            let isStart = name.lowerBound > 0 && bytes[name.lowerBound - 1] == UInt8(ascii: "<")
            return isStart ? next(from: mark + 1) : nil
        }
        guard bytes[mark] == UInt8(ascii: "="), let quote = next(from: mark + 1),
            [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[quote])
        else { return nil }
        return next(from: quote + 1)
    }
}
