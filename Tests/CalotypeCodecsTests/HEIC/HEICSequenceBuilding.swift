import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// An HEVC track as samples and tables, also for combinations that no writer creates.
struct HEVCTrackParts {
    struct Sample {
        var data: Data
        var ticks = 100
        /// The ticks from decoding to display.
        var shift = 0
        var isSync = true
    }

    var identifier = 1
    var handler = "pict"
    var codec = "hvc1"
    var size: PixelSize
    /// The complete box.
    var configuration: Data
    var entryBoxes = Data()
    var references: [(type: String, to: Int)] = []
    var samples: [Sample]
    var samplesPerChunk = 2
    var ticksPerSecond = 1_000
    /// The first two columns of the first two rows.
    var matrix = [1, 0, 0, 1]
    var duration = Int(UInt32.max)
    var edit: (duration: Int, isRepeated: Bool)?
    var hasLongOffsets = false

    /// The images of files that an encoder of this module wrote without alpha, as samples.
    init(of files: [Data], size: PixelSize) {
        self.size = size
        let parts = files.map { HEIFParts(of: $0, codec: "hvc1", configuration: "hvcC") }
        configuration = parts[0].properties[0]
        entryBoxes = HEIFParts.box("colr", in: files[0]) ?? Data()
        samples = parts.map { Sample(data: $0.items[0].data) }
    }

    /// A stream with start codes; `order` has the frame number of each coded image.
    init(stream: Data, order: [Int], size: PixelSize, bitDepth: UInt8 = 8) {
        self.size = size
        var (sets, pending) = (Data(), Data())
        samples = []
        for unit in Self.units(stream) {
            let type = unit[unit.startIndex] >> 1 & 63
            if type >= 32 {
                sets += Data([0x80 | type]) + bigEndian16(1) + bigEndian16(unit.count) + unit
                continue
            }
            pending = bigEndian32(unit.count) + unit
            let shift = 100 * (order[samples.count] - samples.count)
            samples.append(Sample(data: pending, shift: shift, isSync: type >= 16))
        }
        let head = Data([1]) + Data(count: 15) + Data([0xFD, 0xF0 | bitDepth, 0xF0 | bitDepth, 0, 0, 3, 3])
        configuration = HEIFParts.box("hvcC", head + sets)
    }

    private static func units(_ stream: Data) -> [Data] {
        let bytes = [UInt8](stream)
        let starts = bytes.indices.dropLast(2).filter { bytes[$0...].starts(with: [0, 0, 1]) }
        return zip(starts, starts.dropFirst() + [bytes.count]).map { start, end in
            let unit = bytes[(start + 3)..<end]
            return Data(end == bytes.count ? unit : unit.dropLast(unit.reversed().prefix { $0 == 0 }.count))
        }
    }

    // MARK: - Boxes

    /// The track box; `offset` is that of its first sample.
    func box(offset: Int) -> Data {
        let sides = bigEndian32(size.width << 16) + bigEndian32(size.height << 16)
        let rows = [matrix[0] << 16, matrix[1] << 16, 0, matrix[2] << 16, matrix[3] << 16, 0, 0, 0, 1 << 30]
        let header = HEIFParts.fullBox(
            "tkhd",
            Data(count: 8) + bigEndian32(identifier) + Data(count: 4) + bigEndian32(duration)
                + Data(count: 16) + joined(rows) + sides
        )
        let names = references.map { HEIFParts.box($0.type, bigEndian32($0.to)) }.reduce(Data(), +)
        let media = HEIFParts.box(
            "mdia",
            HEIFParts.fullBox("mdhd", Data(count: 8) + bigEndian32(ticksPerSecond) + Data(count: 8))
                + HEIFParts.fullBox("hdlr", Data(count: 4) + Data(handler.utf8) + Data(count: 13))
                + HEIFParts.box("minf", HEIFParts.box("stbl", tables(offset: offset)))
        )
        return HEIFParts.box(
            "trak",
            header + (references.isEmpty ? Data() : HEIFParts.box("tref", names)) + edits + media
        )
    }

    private var edits: Data {
        guard let edit else { return Data() }
        let list = Data([0, 0, 0, edit.isRepeated ? 1 : 0]) + joined([1, edit.duration, 0, 1 << 16])
        return HEIFParts.box("edts", HEIFParts.box("elst", list))
    }

    private func joined(_ integers: [Int]) -> Data {
        integers.reduce(Data()) { $0 + bigEndian32($1) }
    }

    private func table(_ type: String, _ entries: [[Int]]) -> Data {
        HEIFParts.fullBox(type, bigEndian32(entries.count) + joined(Array(entries.joined())))
    }

    private func tables(offset: Int) -> Data {
        let count = samples.count
        let entry = HEIFParts.box(
            codec,
            Data(count: 6) + bigEndian16(1) + Data(count: 16) + bigEndian16(size.width)
                + bigEndian16(size.height) + Data(count: 50) + configuration + entryBoxes
        )
        let offsets = stride(from: 0, to: count, by: samplesPerChunk).map { first in
            samples[..<first].reduce(offset) { $0 + $1.data.count }
        }
        var boxes = HEIFParts.fullBox("stsd", bigEndian32(1) + entry)
        boxes += table("stts", samples.map { [1, $0.ticks] })
        if samples.contains(where: { $0.shift != 0 }) {
            boxes += table("ctts", samples.map { [1, $0.shift] })
        }
        if samples.contains(where: { !$0.isSync }) {
            boxes += table("stss", samples.indices.filter { samples[$0].isSync }.map { [$0 + 1] })
        }
        boxes += table("stsc", [[1, samplesPerChunk, 1]])
        boxes += HEIFParts.fullBox("stsz", joined([0, count] + samples.map(\.data.count)))
        if hasLongOffsets { return boxes + table("co64", offsets.map { [0, $0] }) }
        return boxes + table("stco", offsets.map { [$0] })
    }
}

/// A file of tracks, with or without a still image.
struct HEICSequenceParts {
    var brand = "hevc"
    var still: HEIFParts?
    var tracks: [HEVCTrackParts]

    init(_ tracks: HEVCTrackParts...) {
        self.tracks = tracks
    }

    /// Independent images of one size; RGBA as a colour track and an alpha track.
    init(_ images: [Image], isLossless: Bool = true) throws {
        func track(_ images: [Image]) throws -> HEVCTrackParts {
            let encoder = HEICEncoder(isLossless: isLossless)
            return HEVCTrackParts(of: try images.map { try encoder.encode($0) }, size: images[0].size)
        }
        guard images[0].pixelFormat == .rgba8 else {
            self.init(try track(images))
            return
        }
        let color = try track(images.map { $0.channels([0, 1, 2], .rgb8) })
        var alpha = try track(images.map { $0.channels([3], .gray8) })
        (alpha.identifier, alpha.handler) = (2, "auxv")
        alpha.references = [("auxl", 1)]
        alpha.entryBoxes += HEIFParts.fullBox("auxi", Data("urn:mpeg:hevc:2015:auxid:1\0".utf8))
        self.init(color, alpha)
    }

    var data: Data {
        let head: Data
        if let still {
            var named = still
            named.brand = brand
            head = named.data
        } else {
            head = HEIFParts.box("ftyp", Data(brand.utf8) + Data(count: 4) + Data(("msf1" + brand).utf8))
        }
        let start = head.count + movie(offset: 0).count + 8
        return head + movie(offset: start) + HEIFParts.box("mdat", samples(tracks[...]))
    }

    private func samples(_ tracks: ArraySlice<HEVCTrackParts>) -> Data {
        tracks.flatMap(\.samples).reduce(Data()) { $0 + $1.data }
    }

    private func movie(offset: Int) -> Data {
        let boxes = tracks.indices.map { tracks[$0].box(offset: offset + samples(tracks[..<$0]).count) }
        return HEIFParts.box("moov", HEIFParts.fullBox("mvhd", Data(count: 96)) + boxes.reduce(Data(), +))
    }
}

extension Image {
    /// Some channels of the pixels as another image.
    fileprivate func channels(_ channels: [Int], _ format: PixelFormat) -> Image {
        let source = bytes
        let chosen = stride(from: 0, to: source.count, by: pixelFormat.bytesPerPixel).flatMap { start in
            channels.map { source[start + $0] }
        }
        let pixels = PixelBuffer(byteCount: chosen.count) { target in
            target.copyBytes(from: chosen)
        }
        return Image(size: size, pixelFormat: format, pixels: pixels)
    }
}
