import CalotypeCore
import FoundationEssentials

/// A HEIF file as items and properties, also for combinations that no writer creates.
struct HEIFParts {
    struct Item {
        var id: Int
        var type: String
        var data: Data
        /// Numbered from 1; plus 128 if essential.
        var properties: [UInt8]
    }

    var brand = "heic"
    var primary = 1
    var items: [Item] = []
    var properties: [Data] = []
    var references: [(type: String, from: Int, to: [Int])] = []
    /// Whether each item has its own association box.
    var splitsAssociations = false

    /// An image of one item, extracted from a file that an encoder of this module wrote without alpha.
    init(of file: Data, codec: String, configuration: String) {
        brand = codec == "av01" ? "avif" : "heic"
        let names = [configuration, "ispe", "pixi", "colr"]
        properties = names.compactMap { Self.box($0, in: file) }
        items = [
            Item(
                id: 1,
                type: codec,
                data: Data((Self.box("mdat", in: file) ?? Data()).dropFirst(8)),
                properties: (1...UInt8(properties.count)).map { $0 == 1 ? 0x81 : $0 }
            )
        ]
    }

    mutating func add(_ property: Data, to index: Int = 0, isEssential: Bool = false) {
        properties.append(property)
        items[index].properties.append(UInt8(properties.count) | (isEssential ? 0x80 : 0))
    }

    var data: Data {
        let head = Self.box("ftyp", Data(brand.utf8) + Data(count: 4) + Data(("mif1" + brand).utf8))
        var offset = head.count + meta(offsets: items.map { _ in 0 }).count + 8
        var offsets: [Int] = []
        for item in items {
            offsets.append(offset)
            offset += item.data.count
        }
        return head + meta(offsets: offsets) + Self.box("mdat", items.reduce(Data()) { $0 + $1.data })
    }

    private func meta(offsets: [Int]) -> Data {
        let handler = Self.fullBox("hdlr", Data(count: 4) + Data("pict".utf8) + Data(count: 13))
        let names = items.map { item in
            Self.fullBox(
                "infe",
                version: 2,
                bigEndian16(item.id) + Data(count: 2) + Data(item.type.utf8) + Data(count: 1)
            )
        }
        let places = zip(items, offsets).map { item, offset in
            bigEndian16(item.id) + bigEndian16(0) + bigEndian16(1) + bigEndian32(offset)
                + bigEndian32(item.data.count)
        }
        let links = items.map { bigEndian16($0.id) + Data([UInt8($0.properties.count)] + $0.properties) }
        let parts = splitsAssociations ? links.map { [$0] } : [links]
        let ownership = parts.reduce(Data()) {
            $0 + Self.fullBox("ipma", bigEndian32($1.count) + $1.reduce(Data(), +))
        }
        let references = references.map { reference in
            Self.box(
                reference.type,
                bigEndian16(reference.from) + bigEndian16(reference.to.count)
                    + reference.to.reduce(Data()) { $0 + bigEndian16($1) }
            )
        }
        var content = handler + Self.fullBox("pitm", bigEndian16(primary))
        content += Self.fullBox(
            "iloc",
            Data([0x44, 0]) + bigEndian16(items.count) + places.reduce(Data(), +)
        )
        content += Self.fullBox("iinf", bigEndian16(items.count) + names.reduce(Data(), +))
        if !references.isEmpty { content += Self.fullBox("iref", references.reduce(Data(), +)) }
        content += Self.box("iprp", Self.box("ipco", properties.reduce(Data(), +)) + ownership)
        return Self.fullBox("meta", content)
    }

    static func box(_ type: String, _ payload: Data) -> Data {
        bigEndian32(payload.count + 8) + Data(type.utf8) + payload
    }

    static func fullBox(_ type: String, version: UInt8 = 0, _ payload: Data) -> Data {
        box(type, Data([version, 0, 0, 0]) + payload)
    }

    /// The first box of a type at any level.
    static func box(_ type: String, in file: Data) -> Data? {
        let letters = Data(type.utf8)
        guard let place = file.indices.first(where: { file[$0...].starts(with: letters) }) else { return nil }
        let count = file[(place - 4)..<place].reduce(0) { $0 << 8 | Int($1) }
        return Data(file[(place - 4)...].prefix(count))
    }

    static func spatialExtents(_ width: Int, _ height: Int) -> Data {
        fullBox("ispe", bigEndian32(width) + bigEndian32(height))
    }

    /// The description of a grid with 32-bit sizes.
    static func grid(rows: Int, columns: Int, _ width: Int, _ height: Int) -> Data {
        Data([0, 1, UInt8(rows - 1), UInt8(columns - 1)]) + bigEndian32(width) + bigEndian32(height)
    }
}

/// A clean aperture, a rotation and a mirror as stored in a file, and their effect on an image.
struct HEIFTransforms: Sendable, CustomStringConvertible {
    /// Left, top, width, height.
    var crop: [Int]?
    /// Counterclockwise quarter turns.
    var turns = 0
    /// 0 flips vertically, 1 horizontally.
    var mirror: Int?

    static let all: [HEIFTransforms] =
        (0..<4).flatMap { turns in [nil, 0, 1].map { HEIFTransforms(turns: turns, mirror: $0) } } + [
            HEIFTransforms(crop: [4, 2, 10, 6]), HEIFTransforms(crop: [2, 6, 12, 8], turns: 1, mirror: 1),
            HEIFTransforms(crop: [0, 0, 20, 4], turns: 3, mirror: 0),
        ]

    var description: String { "crop \(crop ?? []), turns \(turns), mirror \(mirror ?? -1)" }

    func add(to parts: inout HEIFParts, of size: PixelSize) {
        if let crop {
            // ISO/IEC 14496-12 section 12.1.4: the centre of the part minus that of the whole, in halves.
            let across = 2 * crop[0] + crop[2] - size.width
            let down = 2 * crop[1] + crop[3] - size.height
            let numbers = [crop[2], 1, crop[3], 1, across, 2, down, 2]
            parts.add(
                HEIFParts.box("clap", numbers.reduce(Data()) { $0 + bigEndian32($1) }),
                isEssential: true
            )
        }
        if turns > 0 { parts.add(HEIFParts.box("irot", Data([UInt8(turns)])), isEssential: true) }
        if let mirror { parts.add(HEIFParts.box("imir", Data([UInt8(mirror)])), isEssential: true) }
    }

    /// The displayed rows of pixels, step by step after the text of the standard.
    func applied(to image: Image) -> [[[UInt8]]] {
        let step = image.pixelFormat.bytesPerPixel
        var rows = (0..<image.size.height).map { y in
            (0..<image.size.width).map { x -> [UInt8] in
                let start = y * image.bytesPerRow + x * step
                return Array(image.bytes[start..<start + step])
            }
        }
        if let crop {
            rows = rows[crop[1]..<crop[1] + crop[3]].map { Array($0[crop[0]..<crop[0] + crop[2]]) }
        }
        for _ in 0..<turns {
            let source = rows
            rows = (0..<source[0].count).map { x in source.map { $0[source[0].count - 1 - x] } }
        }
        if mirror == 0 { rows.reverse() }
        if mirror == 1 { rows = rows.map { $0.reversed() } }
        return rows
    }
}
