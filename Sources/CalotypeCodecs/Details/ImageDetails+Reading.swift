import CalotypeCore
import CalotypeSupport
import FoundationEssentials

extension ImageDetails {
    /// The maximum number of segments, chunks or boxes that are searched.
    private static let maxPartCount = 20_000

    init(of file: Data, _ format: ImageFormat) {
        let block = ExifBlock.block(of: file, format: format)
        self.init(
            exif: block.flatMap { Exif(block: $0) },
            density: block.flatMap { ExifDirectory($0)?.density }
        )
        switch format {
        case .jpeg: readJPEG(file)
        case .png: readPNG(file)
        case .webP: readWebP(file)
        case .avif, .heic: readHEIF(file, format)
        case .tiff: readTIFF(file)
        case .bmp: readBMP(file)
        case .ico: pageCount = PageIndex(file, format)?.count ?? 1
        default: break
        }
    }

    /// Reads the frame header (ITU-T T.81 section B.2.2), JFIF's density, and the segments of the profile
    /// (ICC.1 section B.4).
    private mutating func readJPEG(_ file: Data) {
        let (jfif, icc) = (Data("JFIF\0".utf8), Data("ICC_PROFILE\0".utf8))
        var profile: [UInt8: Data] = [:]
        for segment in JPEGSegments(file, passingPadding: true).prefix(Self.maxPartCount) {
            let payload = segment.payload
            switch segment.marker {
            case 0xE0 where payload.starts(with: jfif):
                density = density ?? Self.density(jfif: payload.dropFirst(7))
            case 0xE2 where payload.starts(with: icc) && payload.count > icc.count + 2:
                let place = payload[payload.startIndex + icc.count]
                profile[place] = profile[place] ?? payload.dropFirst(icc.count + 2)
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                chromaSubsampling = chromaSubsampling ?? Self.subsampling(ofFrame: payload)
            default: break
            }
        }
        // The first segments contain the table of tags, and usually the name; a segment has 64 KiB.
        let start = profile.sorted { $0.key < $1.key }.prefix(16).reduce(into: Data()) { $0 += $1.value }
        profileName = ProfileName.ofICC(start)
    }

    private static func density(jfif fields: Data) -> PixelDensity? {
        var reader = ByteReader(fields)
        guard let unit = reader.bigEndian(UInt8.self), let across = reader.bigEndian(UInt16.self),
            let down = reader.bigEndian(UInt16.self)
        else { return nil }
        switch unit {
        case 1: return PixelDensity(horizontal: Double(across), vertical: Double(down))
        case 2: return PixelDensity(perCentimetre: Double(across), Double(down))
        default: return nil
        }
    }

    private static func subsampling(ofFrame payload: Data) -> ChromaSubsampling? {
        var reader = ByteReader(payload.dropFirst(5))
        guard let count = reader.bigEndian(UInt8.self) else { return nil }
        guard count != 1 else { return .monochrome }
        guard count == 3, let fields = reader.bytes(9).map([UInt8].init) else { return nil }
        let factors = [fields[1], fields[4], fields[7]].map { (columns: Int($0 >> 4), rows: Int($0 & 15)) }
        guard factors[1] == factors[2], factors[1].columns > 0, factors[1].rows > 0,
            factors[0].columns.isMultiple(of: factors[1].columns),
            factors[0].rows.isMultiple(of: factors[1].rows)
        else { return nil }
        return ChromaSubsampling(
            columns: factors[0].columns / factors[1].columns,
            rows: factors[0].rows / factors[1].rows
        )
    }

    /// Reads pHYs, iCCP and cICP (PNG 3 sections 11.3.2 and 11.3.4.3), which precede the pixels.
    private mutating func readPNG(_ file: Data) {
        var codedName: String?
        for chunk in PNGChunks(file).prefix(Self.maxPartCount) {
            var reader = ByteReader(chunk.payload)
            switch chunk.type {
            case PNGChunkType("pHYs"):
                guard let across = reader.bigEndian(UInt32.self), let down = reader.bigEndian(UInt32.self),
                    reader.bigEndian(UInt8.self) == 1
                else { continue }
                density = PixelDensity(perMetre: across, down) ?? density
            case PNGChunkType("iCCP"): profileName = ProfileName.ofPNG(chunk.payload)
            case PNGChunkType("cICP"):
                guard let primaries = reader.bigEndian(UInt8.self),
                    let transfer = reader.bigEndian(UInt8.self)
                else { continue }
                codedName = ProfileName.ofCoded(primaries: Int(primaries), transfer: Int(transfer))
            case .imageData:
                profileName = codedName ?? profileName
                return
            default: break
            }
        }
    }

    private mutating func readWebP(_ file: Data) {
        guard let end = WebPChunk(file, at: 0)?.payload.upperBound else { return }
        var start = 12
        for _ in 0..<Self.maxPartCount {
            guard let chunk = WebPChunk(file, at: start), chunk.payload.upperBound <= min(end, file.count)
            else { return }
            let payload = file.dropFirst(chunk.payload.lowerBound).prefix(chunk.payload.count)
            switch chunk.type {
            case .profile: profileName = ProfileName.ofICC(payload)
            // RFC 6386 section 2; the lossless form has no such channels.
            case .lossy: chromaSubsampling = .quarter
            default: break
            }
            start = chunk.next
        }
    }

    /// Reads the properties of the primary image, or of the first tile of a grid.
    private mutating func readHEIF(_ file: Data, _ format: ImageFormat) {
        do throws(DecodeError) {
            let items = try HEIFItems(file, boxes: ISOBox.wholeBoxes(in: file, maxCount: 256), format: format)
            let ids = [items.primary] + (items.inputs[items.primary]?.prefix(1) ?? [])
            let properties = ids.flatMap { items.items[$0]?.properties ?? [] }.prefix(256)
            for index in properties where items.properties.indices.contains(index - 1) {
                read(items.properties[index - 1])
            }
        } catch {
            // The decode of the image reports damage.
        }
    }

    private mutating func read(_ property: ISOBox) {
        let bytes = [UInt8](property.payload.prefix(24))
        switch property.type {
        // ISO/IEC 14496-12 section 12.1.5.
        case ISOBoxType("colr"):
            if bytes.starts(with: "nclx".utf8), bytes.count >= 8 {
                profileName =
                    profileName
                    ?? ProfileName.ofCoded(
                        primaries: Int(bytes[4]) << 8 | Int(bytes[5]),
                        transfer: Int(bytes[6]) << 8 | Int(bytes[7])
                    )
            } else if bytes.starts(with: "prof".utf8) || bytes.starts(with: "rICC".utf8) {
                profileName = ProfileName.ofICC(property.payload.dropFirst(4)) ?? profileName
            }
        // AV1 Codec ISO Media File Format Binding section 2.3.3.
        case ISOBoxType("av1C") where bytes.count >= 4:
            let isMonochrome = bytes[2] >> 4 & 1 == 1
            let (columns, rows) = (Int(bytes[2] >> 3 & 1), Int(bytes[2] >> 2 & 1))
            chromaSubsampling =
                isMonochrome ? .monochrome : ChromaSubsampling(columns: 1 + columns, rows: 1 + rows)
        // ISO/IEC 14496-15 section 8.3.3.1.
        case ISOBoxType("hvcC") where bytes.count >= 17:
            chromaSubsampling =
                [.monochrome, .quarter, .halfWidth, ChromaSubsampling.full][Int(bytes[16] & 3)]
        default: break
        }
    }

    private mutating func readTIFF(_ file: Data) {
        pageCount = PageIndex(file, .tiff)?.count ?? 1
        do throws(DecodeError) {
            let tags = try TIFFTags(file)
            // Adobe's tag of the profile has type UNDEFINED.
            if let range = tags.bytes(34675) {
                profileName = ProfileName.ofICC(file.dropFirst(range.lowerBound).prefix(range.count))
            }
        } catch {
            // The decode of the image reports damage.
        }
    }

    /// Reads `biXPelsPerMeter` and `biYPelsPerMeter`, of headers of at least 40 bytes.
    private mutating func readBMP(_ file: Data) {
        var reader = ByteReader(file.dropFirst(14))
        guard let headerByteCount = reader.littleEndian(UInt32.self), headerByteCount >= 40,
            reader.bytes(20) != nil, let across = reader.littleEndian(UInt32.self),
            let down = reader.littleEndian(UInt32.self)
        else { return }
        density = PixelDensity(perMetre: across, down)
    }
}

extension ExifDirectory {
    /// Tags 0x011A, 0x011B and 0x0128; `nil` unless the unit is an inch or a centimetre.
    var density: PixelDensity? {
        guard let across = rationals(0x011A, count: 1)?[0], let down = rationals(0x011B, count: 1)?[0] else {
            return nil
        }
        switch integer(0x0128) ?? 2 {
        case 2: return PixelDensity(horizontal: across, vertical: down)
        case 3: return PixelDensity(perCentimetre: across, down)
        default: return nil
        }
    }
}
