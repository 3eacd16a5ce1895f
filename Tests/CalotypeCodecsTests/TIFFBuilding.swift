import FoundationEssentials

/// A TIFF file of one page, put together tag by tag.
struct TIFFFile {
    var width: Int
    var height = 1
    var bits = 8
    /// 0 white is zero, 1 black is zero, 2 RGB, 3 palette, 5 CMYK, 6 YCbCr, 8 L*a*b*.
    var photometric = 1
    var sampleCount = 1
    /// 0 unspecified, 1 alpha multiplied in, 2 alpha.
    var extraSamples: [Int] = []
    var compression = 1
    /// Strips or tiles; planes one after the other.
    var strips: [[UInt8]]
    var tileSize: (width: Int, height: Int)?
    /// Tags of 16 bits beside those above.
    var shorts: [UInt16: [Int]] = [:]
    var profile: Data?
    var isLittleEndian = true
    var isBig = false

    /// The file: header, strips, directory, values that do not fit into it.
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

    private typealias Tag = (type: Int, values: Data, count: Int)

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
            tags[278] = longs([height])
        }
        tags[tileSize == nil ? 273 : 324] = longs(places)
        tags[tileSize == nil ? 279 : 325] = longs(strips.map(\.count))
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
        return integer(tags.count, isBig ? 8 : 2) + entries + Data(count: room) + outside
    }

    private func words(_ values: [Int]) -> Tag { (3, Data(values.flatMap { integer($0, 2) }), values.count) }

    private func longs(_ values: [Int]) -> Tag { (4, Data(values.flatMap { integer($0, 4) }), values.count) }

    private func integer(_ value: Int, _ byteCount: Int) -> Data {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return Data(isLittleEndian ? bytes : bytes.reversed())
    }

    /// Samples of several bytes, in the order of little-endian files.
    static func samples<Value>(_ values: [Value]) -> [UInt8] {
        values.withUnsafeBytes { [UInt8]($0) }
    }
}

/// The least colour profile there is: three primaries and a power for the tone curve.
///
/// - SeeAlso: ICC.1:2001 sections 6.1 to 6.5.
enum TestProfiles {
    /// RGB whose red is what others call green, and the other way round.
    static let swapped = matrix(
        red: [0.3851, 0.7169, 0.0971],
        green: [0.4361, 0.2225, 0.0139],
        blue: [0.1431, 0.0606, 0.7141]
    )

    private static func matrix(red: [Double], green: [Double], blue: [Double]) -> Data {
        let curve = Data("curv".utf8) + Data(count: 4) + bigEndian32(1) + bigEndian16(0x0233) + Data(count: 2)
        let white = xyz([0.9642, 1, 0.8249])
        let tags: [(String, Data)] = [
            ("wtpt", white), ("rXYZ", xyz(red)), ("gXYZ", xyz(green)), ("bXYZ", xyz(blue)),
            ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
        ]
        var table = bigEndian32(tags.count)
        var values = Data()
        let start = 128 + 4 + 12 * tags.count
        for (name, value) in tags {
            table += Data(name.utf8) + bigEndian32(start + values.count) + bigEndian32(value.count)
            values += value
        }
        let size = start + values.count
        let head =
            bigEndian32(size) + Data(count: 4) + bigEndian32(0x0210_0000) + Data("mntrRGB XYZ ".utf8)
            + Data(count: 12) + Data("acsp".utf8) + Data(count: 28) + white.dropFirst(8)
        return head + Data(count: 128 - head.count) + table + values
    }

    private static func xyz(_ values: [Double]) -> Data {
        Data("XYZ ".utf8) + Data(count: 4)
            + values.reduce(Data()) { $0 + bigEndian32(Int(($1 * 65536).rounded())) }
    }
}
