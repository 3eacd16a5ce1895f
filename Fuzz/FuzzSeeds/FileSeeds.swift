import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation

/// Files with metadata, profiles, gain maps and pages: inputs of parsers of bytes, by target.
enum FileSeeds {
    private static let size = PixelSize(width: 24, height: 17)

    /// Returns the inputs, made of images in all formats, and of icons of one image.
    static func all(_ files: [Data], icons: [Data]) throws -> [(target: String, inputs: [Data])] {
        let blocks = [exif(isLittleEndian: true), exif(isLittleEndian: false)]
        let jpeg = try JPEGEncoder().encode(TestImages.photograph(size))
        let described = blocks.map { inserting(segment(0xE1, Data("Exif\0\0".utf8) + $0), in: jpeg) }
        let profiled = profiles.map { profile in
            inserting(segment(0xE2, Data("ICC_PROFILE\0\u{1}\u{1}".utf8) + profile), in: jpeg)
        }
        let joined = [
            try gainMap(values: ["GainMapMax": [2]]), try gainMap(standard: [UInt8](repeating: 0, count: 62)),
        ]
        let paged = [tiff, try icon()] + icons
        let selections = [Data([0, 1]), Data([1, 3])]
        return [
            ("exifEditing", blocks),
            ("gainMapFile", joined),
            ("details", files + described + profiled + joined + paged),
            ("profile", profiles),
            ("pages", (paged + files).flatMap { file in selections.map { $0 + file } }),
            ("icon", [Data([0, 20, 0, 10, 2, 6]) + Data(0..<255), Data([1, 43, 0, 9, 1, 0, 7])]),
        ]
    }

    private static func integer(_ value: Int, _ byteCount: Int, isLittleEndian: Bool = false) -> Data {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return Data(isLittleEndian ? bytes : bytes.reversed())
    }

    // MARK: JPEG

    private static func segment(_ marker: UInt8, _ payload: Data) -> Data {
        Data([0xFF, marker]) + integer(payload.count + 2, 2) + payload
    }

    private static func inserting(_ segment: Data, in jpeg: Data) -> Data {
        jpeg.prefix(2) + segment + jpeg.dropFirst(2)
    }

    private static func gainMap(
        values: [String: [Double]] = [:],
        standard: [UInt8] = []
    ) throws -> Data {
        let map = GainMap(
            image: TestImages.photograph(PixelSize(width: 12, height: 8), format: .gray8),
            scale: 0.5,
            parameters: GainMapParameters(values: values, standard: standard)
        )
        let base = try JPEGEncoder().encode(TestImages.photograph(size))
        return try map.joined(to: base) { image throws(EncodeError) in try JPEGEncoder().encode(image) }
    }

    /// A block with the directories of the image, of the photograph, of the position and of a thumbnail.
    private static func exif(isLittleEndian: Bool) -> Data {
        func number(_ value: Int, _ byteCount: Int) -> Data {
            integer(value, byteCount, isLittleEndian: isLittleEndian)
        }
        func short(_ tag: Int, _ value: Int) -> Data {
            number(tag, 2) + number(3, 2) + number(1, 4) + number(value, 2) + Data(count: 2)
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> Data {
            number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4)
        }
        let thumbnail = Data([0xFF, 0xD8, 0xFF, 0xD9])
        let entries = [
            short(0x0100, 24), entry(0x0101, 4, 1, 17), entry(0x010F, 2, 4, 0x4141_4100), short(0x0112, 6),
            entry(0x8769, 4, 1, 98), entry(0x8825, 4, 1, 140),
        ]
        let photograph = [short(0x8827, 400), short(0xA002, 24), entry(0xA003, 4, 1, 17)]
        let position = [entry(0, 1, 4, 0x0203_0000), entry(1, 2, 2, 0x4E00_0000), entry(2, 5, 3, 8)]
        let thumbnails = [entry(0x0201, 4, 1, 212), entry(0x0202, 4, 1, thumbnail.count)]
        let head = Data(isLittleEndian ? "II*\0".utf8 : "MM\0*".utf8) + number(8, 4)
        let first = number(6, 2) + entries.reduce(Data(), +) + number(182, 4)
        let others = [photograph, position, thumbnails].map { entries in
            number(entries.count, 2) + entries.reduce(Data(), +) + number(0, 4)
        }
        return head + first + Data(count: 98 - 8 - first.count) + others.reduce(Data(), +) + thumbnail
    }

    // MARK: Profiles

    /// Display P3 with a table, a space with its red and green exchanged, and one with parametric curves.
    private static var profiles: [Data] {
        let (red, green, blue) = (
            [0.51512, 0.24120, -0.00105], [0.29198, 0.69225, 0.04189], [0.15710, 0.06657, 0.78407]
        )
        let table = (0..<64).reduce(Data("curv".utf8) + Data(count: 4) + integer(64, 4)) { data, index in
            let level = Double(index) / 63
            let light = level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4)
            return data + integer(Int((light * 65_535).rounded()), 2)
        }
        let power = Data("curv".utf8) + Data(count: 4) + integer(1, 4) + integer(0x0233, 2) + Data(count: 2)
        let numbers: [Double] = [2.4, 0.947867, 0.052133, 0.077399, 0.04045]
        let parameters = numbers.map(fixed).reduce(Data(), +)
        let parametric = Data("para".utf8) + Data(count: 4) + integer(3, 2) + Data(count: 2) + parameters
        return [
            profile([red, green, blue], [table, table, table]),
            profile([green, red, blue], [power, power, power]),
            profile([red, green, blue], [parametric, power, table]),
        ]
    }

    /// Returns an `s15Fixed16Number` (ICC.1:2022 section 4.6).
    private static func fixed(_ number: Double) -> Data { integer(Int((number * 65_536).rounded()), 4) }

    private static func profile(_ primaries: [[Double]], _ curves: [Data]) -> Data {
        func xyz(_ values: [Double]) -> Data {
            Data("XYZ ".utf8) + Data(count: 4)
                + values.map(fixed).reduce(Data(), +)
        }
        let name = Data("desc".utf8) + Data(count: 4) + integer(4, 4) + Data("RGB\0".utf8)
        let tags =
            [("desc", name), ("wtpt", xyz([0.9642, 1, 0.8249]))]
            + zip(["rXYZ", "gXYZ", "bXYZ"], primaries.map(xyz)) + zip(["rTRC", "gTRC", "bTRC"], curves)
        var (table, values) = (integer(tags.count, 4), Data())
        let start = 132 + 12 * tags.count
        for (name, value) in tags {
            table += Data(name.utf8) + integer(start + values.count, 4) + integer(value.count, 4)
            values += value + Data(count: (4 - value.count % 4) % 4)
        }
        let head =
            integer(start + values.count, 4) + Data(count: 4) + integer(0x0210_0000, 4)
            + Data("mntrRGB XYZ ".utf8) + Data(count: 12) + Data("acsp".utf8) + Data(count: 28)
            + xyz([0.9642, 1, 0.8249]).dropFirst(8)
        return head + Data(count: 128 - head.count) + table + values
    }

    // MARK: Pages

    /// Three directories of a gray image with one strip, 4 × 2, 2 × 2 and 4 × 1.
    private static var tiff: Data {
        func number(_ value: Int, _ byteCount: Int) -> Data {
            integer(value, byteCount, isLittleEndian: true)
        }
        let (start, byteCount) = (16, 2 + 12 * 7 + 4)
        let directories = [(4, 2), (2, 2), (4, 1)].enumerated().map { index, sides in
            let values = [
                (256, sides.0), (257, sides.1), (258, 8), (262, 1), (273, 8), (278, sides.1),
                (279, sides.0 * sides.1),
            ]
            let entries = values.map { number($0.0, 2) + number(4, 2) + number(1, 4) + number($0.1, 4) }
            let next = index == 2 ? 0 : start + byteCount * (index + 1)
            return number(entries.count, 2) + entries.reduce(Data(), +) + number(next, 4)
        }
        return Data("II*\0".utf8) + number(start, 4) + Data(0..<8) + directories.reduce(Data(), +)
    }

    /// An icon of three sizes.
    private static func icon() throws -> Data {
        let pictures = try [5, 16, 24].map { side in
            let size = PixelSize(width: side, height: side)
            return (side, try PNGEncoder().encode(TestImages.photograph(size, format: .rgba8)))
        }
        var (directory, content) = (Data([0, 0, 1, 0, 3, 0]), Data())
        for (side, picture) in pictures {
            let place = 6 + 16 * pictures.count + content.count
            directory += [UInt8(side), UInt8(side), 0, 0, 1, 0, 32, 0]
            directory +=
                integer(picture.count, 4, isLittleEndian: true) + integer(place, 4, isLittleEndian: true)
            content += picture
        }
        return directory + content
    }
}
