import FoundationEssentials

/// A TIFF file of one page, assembled tag by tag.
struct TIFFFile {
    var width: Int
    var height = 1
    var bits = 8
    /// 0 white is zero, 1 black is zero, 2 RGB, 3 palette, 5 CMYK, 6 YCbCr, 8 L*a*b*.
    var photometric = 1
    var sampleCount = 1
    /// 0 unspecified, 1 associated alpha, 2 unassociated alpha.
    var extraSamples: [Int] = []
    var compression = 1
    /// Strips or tiles, plane by plane.
    var strips: [[UInt8]]
    var tileSize: (width: Int, height: Int)?
    /// Further tags with 16-bit values.
    var shorts: [UInt16: [Int]] = [:]
    var profile: Data?
    var isLittleEndian = true
    var isBig = false
    /// `nil` for all.
    var rowsPerStrip: Int?
    var others: [UInt16: Tag] = [:]
    /// The offset of the next directory, or 0.
    var nextDirectory = 0

    typealias Tag = (type: Int, values: Data, count: Int)

    /// The file: header, strips, directory, and values that do not fit into entries.
    var data: Data {
        var body = Data()
        var places: [Int] = []
        for strip in strips {
            places.append((isBig ? 16 : 8) + body.count)
            body += strip
        }
        if body.count % 2 == 1 { body.append(0) }
        let directory = (isBig ? 16 : 8) + body.count
        return header(directory) + body + self.directory(at: directory, tags(places))
    }

    private func header(_ directory: Int) -> Data {
        let order = Data(isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D])
        return isBig
            ? order + integer(43, 2) + integer(8, 2) + integer(0, 2) + integer(directory, 8)
            : order + integer(42, 2) + integer(directory, 4)
    }

    private func tags(_ places: [Int]) -> [UInt16: Tag] {
        var tags: [UInt16: Tag] = [
            256: longs([width]), 257: longs([height]),
            258: words(Array(repeating: bits, count: sampleCount)), 259: words([compression]),
            262: words([photometric]), 277: words([sampleCount]),
        ]
        if !extraSamples.isEmpty { tags[338] = words(extraSamples) }
        for (tag, values) in shorts { tags[tag] = words(values) }
        if let profile { tags[34675] = (7, profile, profile.count) }
        if let tileSize {
            tags[322] = longs([tileSize.width])
            tags[323] = longs([tileSize.height])
        } else {
            tags[278] = longs([rowsPerStrip ?? height])
        }
        tags[tileSize == nil ? 273 : 324] = longs(places)
        tags[tileSize == nil ? 279 : 325] = longs(strips.map(\.count))
        for (tag, values) in others { tags[tag] = values }
        return tags
    }

    private func directory(at place: Int, _ tags: [UInt16: Tag]) -> Data {
        let room = isBig ? 8 : 4
        var entries = Data()
        var outside = Data()
        let end = place + (isBig ? 16 : 6) + tags.count * (isBig ? 20 : 12)
        for (tag, value) in tags.sorted(by: { $0.key < $1.key }) {
            entries += integer(Int(tag), 2) + integer(value.type, 2) + integer(value.count, room)
            if value.values.count <= room {
                entries += value.values + Data(count: room - value.values.count)
            } else {
                entries += integer(end + outside.count, room)
                outside += value.values + Data(count: value.values.count % 2)
            }
        }
        return integer(tags.count, isBig ? 8 : 2) + entries + integer(nextDirectory, room)
            + outside
    }

    private func words(_ values: [Int]) -> Tag { (3, Data(values.flatMap { integer($0, 2) }), values.count) }

    private func longs(_ values: [Int]) -> Tag { (4, Data(values.flatMap { integer($0, 4) }), values.count) }

    private func integer(_ value: Int, _ byteCount: Int) -> Data {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return Data(isLittleEndian ? bytes : bytes.reversed())
    }

    /// Multi-byte samples in little-endian order.
    static func samples<Value>(_ values: [Value]) -> [UInt8] {
        values.withUnsafeBytes { [UInt8]($0) }
    }
}
