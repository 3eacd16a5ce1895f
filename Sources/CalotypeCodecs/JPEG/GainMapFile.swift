import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The gain map in a JPEG: a JPEG of its own after the image, listed by an index of pictures (MPF).
///
/// - SeeAlso: CIPA DC-007 (multi-picture format); Android's Ultra HDR image format 1.1; ISO 21496-1 annex C.
struct GainMapFile {
    /// The file of the map.
    let data: Data
    let parameters: GainMapParameters

    private static let maxSegmentCount = 1_000
    private static let maxPictureCount = 8

    /// Finds the map of a file; `nil` without one, or if the index or the parameters are invalid.
    init?(in file: Data) {
        guard let index = Self.index(of: file) else { return nil }
        for (start, byteCount) in Self.places(in: index.bytes) {
            // Offsets are counted from the header of the index; the image itself has 0.
            let (first, isOver) = index.start.addingReportingOverflow(start)
            guard start > 0, !isOver, first < file.count, byteCount > 4, byteCount <= file.count - first
            else { continue }
            let picture = file.dropFirst(first).prefix(byteCount)
            guard picture.starts(with: [0xFF, 0xD8]), let parameters = GainMapParameters(ofFile: picture)
            else { continue }
            // Copied, so that its own offsets begin at 0.
            data = Data(picture)
            self.parameters = parameters
            return
        }
        return nil
    }

    /// Returns the index after its identifier, and its offset in the file.
    private static func index(of file: Data) -> (bytes: Data, start: Int)? {
        let identifier = Data("MPF\0".utf8)
        let segment = JPEGSegments(file).prefix(maxSegmentCount).first {
            $0.marker == 0xE2 && $0.payload.starts(with: identifier)
        }
        guard let payload = segment?.payload else { return nil }
        let bytes = payload.dropFirst(identifier.count)
        return (Data(bytes), bytes.startIndex - file.startIndex)
    }

    /// Returns the offsets and sizes of the pictures after the first (CIPA DC-007 section 5.2.3).
    private static func places(in index: Data) -> [(start: Int, byteCount: Int)] {
        let isLittleEndian = index.starts(with: [0x49, 0x49, 0x2A, 0])
        guard isLittleEndian || index.starts(with: [0x4D, 0x4D, 0, 0x2A]) else { return [] }
        func long(_ reader: inout ByteReader) -> Int? {
            let value = isLittleEndian ? reader.littleEndian(UInt32.self) : reader.bigEndian(UInt32.self)
            return value.map { Int($0) }
        }
        func short(_ reader: inout ByteReader) -> Int? {
            let value = isLittleEndian ? reader.littleEndian(UInt16.self) : reader.bigEndian(UInt16.self)
            return value.map { Int($0) }
        }
        var header = ByteReader(index.dropFirst(4))
        guard let place = long(&header) else { return [] }
        var directory = ByteReader(index.dropFirst(place))
        for _ in 0..<min(16, short(&directory) ?? 0) {
            guard let tag = short(&directory), short(&directory) != nil, let byteCount = long(&directory),
                let offset = long(&directory)
            else { return [] }
            guard tag == 0xB002 else { continue }
            var entries = ByteReader(index.dropFirst(offset).prefix(byteCount))
            var places: [(Int, Int)] = []
            while places.count < maxPictureCount, long(&entries) != nil, let size = long(&entries),
                let start = long(&entries), long(&entries) != nil
            {
                places.append((start, size))
            }
            return Array(places.dropFirst())
        }
        return []
    }
}

// MARK: - Writing

extension GainMapFile {
    /// Returns a JPEG with its gain map: the index and the description in the image's file, the parameters in
    /// that of the map, which follows it.
    ///
    /// - Parameters:
    ///   - file: The encoded image.
    ///   - map: The encoded map.
    ///   - parameters: The parameters of the map.
    /// - Returns: The joined file; `nil` unless both are JPEG.
    static func joined(_ file: Data, map: Data, _ parameters: GainMapParameters) -> Data? {
        let start = [UInt8]([0xFF, 0xD8])
        guard file.starts(with: start), map.starts(with: start) else { return nil }
        var head = parameters.values.isEmpty ? Data() : xmp(parameters.properties)
        if !parameters.standard.isEmpty { head += segment(0xE2, standardIdentifier + parameters.standard) }
        let second = Data(start) + head + map.dropFirst(2)
        var first = xmp(GainMapParameters.directory(mapByteCount: second.count))
        // The versions only: the parameters are in the map's own file (ISO 21496-1 annex C.4.6).
        if !parameters.standard.isEmpty { first += segment(0xE2, standardIdentifier + [0, 0, 0, 0]) }
        let place = insertionOffset(of: file)
        let indexByteCount = segment(0xE2, index(0, 0, 0)).count
        let firstByteCount = file.count + first.count + indexByteCount
        // From the byte order of the index, after the marker, the length and the identifier.
        let offset = firstByteCount - (place + first.count + 8)
        let index = segment(0xE2, index(firstByteCount, second.count, offset))
        return file.prefix(place) + first + index + file.dropFirst(place) + second
    }

    /// The identifier of segments of ISO 21496-1.
    static let standardIdentifier = Data("urn:iso:std:iso:ts:21496:-1\0".utf8)

    /// Returns the offset after the leading segments of JFIF, Exif and XMP.
    private static func insertionOffset(of file: Data) -> Int {
        let leading = JPEGSegments(file).prefix { $0.marker == 0xE0 || $0.marker == 0xE1 }
        return leading.last.map { $0.payload.endIndex - file.startIndex } ?? 2
    }

    private static func segment(_ marker: UInt8, _ payload: Data) -> Data {
        Data([0xFF, marker]) + bytes(UInt16(clamping: payload.count + 2)) + payload
    }

    private static func xmp(_ properties: String) -> Data {
        segment(0xE1, Data("http://ns.adobe.com/xap/1.0/\0\(properties)".utf8))
    }

    /// An index of two pictures, the first of which is the baseline image.
    private static func index(_ firstByteCount: Int, _ secondByteCount: Int, _ offset: Int) -> Data {
        func entry(_ tag: UInt16, _ type: UInt16, _ count: Int, _ value: Data) -> Data {
            bytes(tag) + bytes(type) + bytes(UInt32(clamping: count)) + value
        }
        func picture(_ attribute: UInt32, _ byteCount: Int, _ offset: Int) -> Data {
            bytes(attribute) + bytes(UInt32(clamping: byteCount)) + bytes(UInt32(clamping: offset))
                + bytes(UInt32(0))
        }
        let entries =
            entry(0xB000, 7, 4, Data("0100".utf8)) + entry(0xB001, 4, 1, bytes(UInt32(2)))
            + entry(0xB002, 7, 32, bytes(UInt32(50)))
        return Data("MPF\0MM\0*".utf8) + bytes(UInt32(8)) + bytes(UInt16(3)) + entries + bytes(UInt32(0))
            + picture(0x0003_0000, firstByteCount, 0) + picture(0, secondByteCount, offset)
    }

    private static func bytes(_ value: some FixedWidthInteger) -> Data {
        Data((0..<value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }
}
