import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct CameraRawTests {
    private static let size = PixelSize(width: 60, height: 40)
    private static let small = PixelSize(width: 30, height: 20)
    private let codecs = CodecRegistry.tested

    static func jpeg(_ size: PixelSize = size) throws -> Data {
        try JPEGEncoder(quality: 95).tested.encode(TestImages.photograph(size))
    }

    /// Sensor samples, which are never read.
    static var sensor: TIFFTree.Directory {
        TIFFTree.Directory(
            longs: [256: [6000], 257: [4000], 258: [14], 259: [1], 262: [32_803]],
            strip: Data(count: 16)
        )
    }

    static func raw(_ maker: String, _ previews: [Data], orientation: Int = 1) -> TIFFTree {
        var first = TIFFTree.Directory(
            longs: [256: [160], 257: [120], 274: [orientation]],
            texts: [271: maker]
        )
        first.children = Array(1...previews.count + 1)
        return TIFFTree(directories: [first, sensor] + previews.map { TIFFTree.Directory(jpeg: $0) })
    }

    static func files() throws -> [(format: ImageFormat, data: Data)] {
        let previews = [try jpeg(small), try jpeg()]
        var negative = raw("Some Maker", previews)
        negative.directories[0].blobs[50_706] = Data([1, 4, 0, 0])
        var canon = TIFFTree(
            head: Data("CR".utf8) + Data([2, 0, 0, 0, 0, 0]),
            directories: [
                TIFFTree.Directory(longs: [259: [6]], texts: [271: "Canon"], strip: previews[1], next: 1)
            ]
        )
        canon.directories.append(TIFFTree.Directory(jpeg: previews[0]))
        let panasonic = TIFFTree(
            version: 85,
            directories: [TIFFTree.Directory(texts: [271: "Panasonic"], blobs: [0x2E: previews[1]])]
        )
        return [
            (.dng, negative.data), (.cr2, canon.data), (.rw2, panasonic.data), (.raf, fujifilm(previews[1])),
            (.nef, raw("NIKON CORPORATION", previews).data), (.arw, raw("SONY", previews).data),
            (.pef, raw("PENTAX Corporation", previews).data), (.srw, raw("SAMSUNG", previews).data),
            (.cr3, movie(picture: previews[1], preview: previews[0])),
        ]
    }

    private static func fujifilm(_ jpeg: Data) -> Data {
        Data("FUJIFILMCCD-RAW 0201FF383501".utf8) + Data(count: 56) + bigEndian32(100)
            + bigEndian32(jpeg.count)
            + Data(count: 8) + jpeg
    }

    private static func movie(picture: Data, preview: Data) -> Data {
        func box(_ type: String, _ payload: Data) -> Data { HEIFParts.box(type, payload) }
        func identifier(_ text: String) -> Data {
            Data(stride(from: 0, to: 32, by: 2).map { UInt8(text.dropFirst($0).prefix(2), radix: 16) ?? 0 })
        }
        let head = box("ftyp", Data("crx ".utf8) + Data(count: 4) + Data("crx isom".utf8))
        let tags = Data([0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0])
        func movie(at offset: Int) -> Data {
            let sizes = HEIFParts.fullBox("stsz", bigEndian32(picture.count) + bigEndian32(1))
            let places = HEIFParts.fullBox("co64", bigEndian32(1) + bigEndian32(0) + bigEndian32(offset))
            let media = box("mdia", box("minf", box("stbl", sizes + places)))
            let block = identifier("85C0B687820F11E08111F4CE462B6A48") + box("CMT1", tags)
            return box("moov", box("uuid", block) + box("trak", media))
        }
        let shown = Data(count: 16) + preview
        let small = box(
            "uuid",
            identifier("EAF42B5E1C984B88B9FBB7DC406E4D16") + Data(count: 8) + box("PRVW", shown)
        )
        let offset = head.count + movie(at: 0).count + small.count + 8
        return head + movie(at: offset) + small + box("mdat", picture)
    }

    @Test func `each raw format is decoded from its largest preview and reported as itself`() throws {
        for (format, data) in try Self.files() {
            let info = try codecs.info(of: data)
            let image = try codecs.decode(data)
            let shown = format == .cr3 ? PixelSize(width: 40, height: 60) : Self.size
            #expect(info.format == format && image.format == format)
            #expect(info.displaySize == shown && image.size == shown, "\(format)")
            if format != .cr3 { #expect(image.hasBytes(of: try codecs.decode(try Self.jpeg())), "\(format)") }
        }
        #expect(Set(try Self.files().map(\.format)) == Set(ImageFormat.cameraRaws))
    }

    @Test func `the orientation of the raw turns a preview without its own`() throws {
        let upright = try codecs.decode(Self.raw("SONY", [try Self.jpeg()]).data)
        let turned = try codecs.decode(Self.raw("SONY", [try Self.jpeg()], orientation: 6).data)
        #expect(turned.size == PixelSize(width: 40, height: 60) && turned.metadata.orientation == .right)
        #expect(Array(turned.bytes.prefix(3)) == Array(upright.bytes.suffix(60 * 3).prefix(3)))
    }

    @Test func `a target limits the size of the preview`() throws {
        let data = Self.raw("SONY", [try Self.jpeg()]).data
        #expect(try codecs.decode(data, options: DecodeOptions(target: .fit(width: 15))).size.width == 15)
    }

    @Test func `a raw without a JPEG decodes its small image`() throws {
        var negative = Self.raw("Some Maker", [])
        negative.directories[0].blobs[50_706] = Data([1, 4, 0, 0])
        negative.directories[0].longs = [
            254: [1], 256: [4], 257: [2], 258: [8], 259: [1], 262: [1], 274: [3], 277: [1], 278: [2],
        ]
        negative.directories[0].strip = Data([1, 2, 3, 4, 5, 6, 7, 8])
        let image = try codecs.decode(negative.data)
        #expect(image.format == .dng && image.bytes == [8, 7, 6, 5, 4, 3, 2, 1])
        #expect(try codecs.info(of: negative.data).orientation == .down)
    }

    @Test func `a raw without any preview is refused`() throws {
        let data = Self.raw("NIKON", []).data
        let error = decodeError { try codecs.decode(data) }
        #expect(error?.code == .unsupportedFeature && error?.format == .nef)
        #expect(decodeError { try codecs.info(of: data) }?.code == .unsupportedFeature)
    }

    @Test func `lossless JPEG samples do not count as a preview`() throws {
        var lossless = try Self.jpeg()
        let frame = try #require(lossless.firstRange(of: Data([0xFF, 0xC0])))
        lossless[frame.lowerBound + 1] = 0xC3
        let data = Self.raw("NIKON", [lossless, try Self.jpeg(Self.small)]).data
        #expect(try codecs.decode(data).size == Self.small)
    }

    @Test func `a TIFF image written by a camera does not count as a raw`() throws {
        let size = PixelSize(width: 4, height: 2)
        var plain = TIFFFile(width: 4, height: 2, strips: [[1, 2, 3, 4, 5, 6, 7, 8]])
        plain.others[271] = (2, Data("NIKON\0".utf8), 6)
        let image = try codecs.decode(plain.data)
        #expect(image.format == .tiff && image.size == size)
    }

    @Test func `cyclic and dangling directories end`() throws {
        var tree = Self.raw("NIKON", [try Self.jpeg()])
        tree.directories[0].children += [0, 0, 1, 2, 1 << 30, 7, 4_294_967_295]
        tree.directories[1].children = [0, 1]
        tree.directories[2].next = 0
        #expect(try codecs.decode(tree.data).size == Self.size)
        // A thousand directories, each nested in the one before.
        var deep = Self.raw("NIKON", [try Self.jpeg()])
        for index in 3..<1000 {
            deep.directories[index - 1].next = index
            deep.directories.append(TIFFTree.Directory())
        }
        #expect(try codecs.decode(deep.data).size == Self.size)
    }

    @Test func `every cut and every changed byte of a raw gives an image or an error`() throws {
        var random = SeededGenerator(seed: 4)
        let options = DecodeOptions(limits: DecodeLimits(maxPixelCount: 1 << 20))
        for (format, data) in try Self.files() {
            for count in stride(from: 1, to: data.count, by: 61) {
                _ = decodeError { try codecs.decode(data.prefix(count), options: options) }
                _ = decodeError { try codecs.thumbnail(in: data.prefix(count), options: options) }
            }
            for _ in 0..<400 {
                var damaged = data
                let index = Int.random(in: 0..<damaged.count, using: &random)
                damaged[index] = UInt8.random(in: .min ... .max, using: &random)
                if let image = try? codecs.decode(damaged, options: options) {
                    #expect(image.size.pixelCount <= 1 << 20, "\(format)")
                }
            }
        }
    }

    @Test func `a preview beyond the end of the file is ignored`() throws {
        for (start, byteCount) in [(1 << 31, 100), (0, 1 << 31), (4_294_967_295, 4_294_967_295), (8, 0)] {
            var tree = Self.raw("NIKON", [try Self.jpeg()])
            tree.directories[2].jpeg = nil
            tree.directories[2].longs = [513: [start], 514: [byteCount]]
            #expect(decodeError { try codecs.decode(tree.data) }?.code == .unsupportedFeature)
        }
    }

    @Test func `a preview beyond the limits is refused`() throws {
        let data = Self.raw("NIKON", [try Self.jpeg()]).data
        let options = DecodeOptions(limits: DecodeLimits(maxPixelCount: 100))
        #expect(decodeError { try codecs.decode(data, options: options) }?.code == .limitExceeded)
        #expect(decodeError { try codecs.info(of: data, limits: options.limits) }?.code == .limitExceeded)
    }
}
