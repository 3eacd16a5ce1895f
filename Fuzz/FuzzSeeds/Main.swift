import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeTesting
import Foundation
import TestMaterial

/// Writes inputs to start from, one folder a target: `FuzzSeeds FOLDER`.
@main enum Main {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: FuzzSeeds FOLDER")
            exit(2)
        }
        let root = URL(filePath: CommandLine.arguments[1])
        for (target, inputs) in try seeds() {
            let folder = root.appending(path: target)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (index, input) in inputs.enumerated() {
                try input.write(to: folder.appending(path: "seed-\(index)"))
            }
        }
    }

    private static func seeds() throws -> [(target: String, inputs: [Data])] {
        let entry = EntryRecord(
            key: "https://example.org/a.png",
            metadata: Data("opaque".utf8),
            writtenAt: Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000),
            expiry: .afterWrite(.seconds(60)),
            payload: (byteCount: 5, hash: 0)
        )
        let exif: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
        let made = try imageSeeds()
        let images = try made.map { (target: $0.target, inputs: try $0.inputs + corpus($0.target)) }
        let files = images.flatMap(\.inputs)
        let icons = made.first { $0.target == "ico" }?.inputs ?? []
        let parsed = try FileSeeds.all(made.flatMap(\.inputs), icons: icons) + TextSeeds.all
        return images + parsed + [
            ("fillings", files + raws(of: images)),
            ("raw", raws(of: images)),
            ("thumbnail", files + raws(of: images)),
            ("depth", files + (try deepSeeds())),
            ("info", files),
            ("appends", files.flatMap { file in choices.map { $0 + file } }),
            ("sniffing", files.map { $0.prefix(64) }),
            ("exif", [Data(exif), Data(exif.prefix(10))]),
            ("stripping", strippable(of: images)),
            ("entry", [Data("12345".utf8) + entry.encoded()]),
            ("settings", [Data(DiskSettings(sizeLimit: 1000, countLimit: 10, expiry: .never).text().utf8)]),
            ("entryName", [Data("0123456789abcdef0123456789abcdef.jpg".utf8)]),
            ("inlineURL", [Data("image/png;base64,aGVsbG8=".utf8), Data(",a%20b".utf8)]),
            ("responseRecord", records()),
            ("memoryCache", operations()),
            ("diskIndex", operations()),
            ("answerHead", answerHeads.map { Data($0.utf8) }),
            ("requestText", requestTexts.map { Data($0.utf8) }),
            ("address", (requestTexts + addresses).map { Data($0.utf8) }),
            (
                "responseHeaders",
                [Data(headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n").utf8)]
            ),
        ]
    }

    private static func strippable(of images: [(target: String, inputs: [Data])]) -> [Data] {
        images.filter { ["jpeg", "png", "webp", "gif"].contains($0.target) }.flatMap(\.inputs)
    }

    /// The JPEG of a raw of Fujifilm.
    private static func raws(of images: [(target: String, inputs: [Data])]) -> [Data] {
        let head = Data("FUJIFILMCCD-RAW 0201FF383501".utf8) + Data(count: 56)
        return (images.first { $0.target == "jpeg" }?.inputs ?? []).map { jpeg in
            let numbers = [100, jpeg.count].flatMap { value in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
            }
            return head + Data(numbers) + Data(count: 8) + jpeg
        }
    }

    private static func deepSeeds() throws -> [Data] {
        let encoders: [any ImageEncoder] = [
            PNGEncoder(), TIFFEncoder(), AVIFEncoder(speed: 10), JPEGXLEncoder(effort: 3),
        ]
        return try encoders.flatMap { encoder in
            try [PixelFormat.rgba16, .rgbaF16].map { format in
                try encoder.encode(TestImages.photograph(PixelSize(width: 24, height: 17), format: format))
            }
        }
    }

    private static let answerHeads = [
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 42\r\n\r\n",
        "HTTP/2 304\r\netag: \"a\"\r\ncache-control: max-age=60,\r\n  stale-if-error=9\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /b\r\nTransfer-Encoding: chunked\r\n\r\n",
    ]

    private static let requestTexts = [
        "https://user:word@example.org:8080/a%20b.png?x=1#y", "data:image/png;base64,iVBORw0KGgo=",
        "file:///etc/passwd", "//example.org/a.png", "HTTP://[::1]/a@2x.png",
    ]

    private static let addresses = [
        "http://Bücher.example:080/Photo%20[2]|100%.jpg?ids=1|2&q=%C3%A9#a", "//h/../%2e%2e/x", "?q", "#f",
        "",
        "http:/h/x", "https:///h", "http://u:p@ss@127.1/a\\b", "http://[::FFFF:1.2.3.4]:443/;,",
        " \t/a b\r\n",
    ]

    /// Bytes that choose the pieces of a file: large ones and small ones, with and without previews.
    private static let choices = [
        Data([0, 3, 1, 40, 0, 90, 16, 17]), Data([80, 200, 81, 255, 33, 2, 7, 128]),
    ]

    /// Bytes that choose some hundred operations for each policy, in four settings.
    private static func operations() -> [Data] {
        (UInt64(0)..<16).map { seed in
            var generator = SeededGenerator(seed: seed)
            return Data(
                [UInt8(seed % 4)]
                    + (0..<2_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            )
        }
    }

    private static let headers = [
        HeaderField("Cache-Control", "max-age=60, stale-if-error=\"9\", no-cache=\"x\""),
        HeaderField("Expires", "Sunday, 06-Nov-94 08:49:37 GMT"), HeaderField("ETag", "W/\"a\""),
        HeaderField("Last-Modified", "Sun Nov  6 08:49:37 1994"), HeaderField("Vary", "Accept, X"),
        HeaderField("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), HeaderField("Retry-After", "9"),
        HeaderField("Content-Range", "bytes 5-9/10"), HeaderField("Age", "7"),
    ]

    private static func records() -> [Data] {
        let url = URL(filePath: "/a.test")
        let response = FetchResponse(origin: .network, url: url, headers: headers, body: FetchBody(Data()))
        let time = Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000)
        let record = ResponseRecord(request: FetchRequest(url: url), response: response, receivedAt: time)
        return record.map { [$0.encoded()] } ?? []
    }

    /// Small pictures of each kind, through each encoder.
    private static func imageSeeds() throws -> [(target: String, inputs: [Data])] {
        let size = PixelSize(width: 24, height: 17)
        let stills = PixelFormat.eightBitFormats.map { TestImages.photograph(size, format: $0) }
        let images = stills + [animated(size)]
        let encoders: [(String, [any ImageEncoder])] = [
            ("jpeg", [JPEGEncoder(), JPEGEncoder(isProgressive: true, chromaSubsampling: .yuv420)]),
            ("png", [PNGEncoder(), PNGEncoder(isInterlaced: true)]),
            ("gif", [GIFEncoder()]),
            ("webp", [WebPEncoder(), WebPEncoder(isLossless: true)]),
            ("avif", [AVIFEncoder(speed: 10), AVIFEncoder(isLossless: true, speed: 10)]),
            ("heic", [HEICEncoder()]),
            ("jxl", [JPEGXLEncoder(effort: 3), JPEGXLEncoder(isLossless: true, effort: 3)]),
            ("tiff", [TIFFEncoder(), TIFFEncoder(compression: .deflate), TIFFEncoder(compression: .none)]),
            ("bmp", [BMPEncoder()]),
        ]
        let made =
            try encoders.map { target, encoders in
                (target, try encoders.flatMap { encoder in try images.map { try encoder.encode($0) } })
            } + [("ico", [icon(try PNGEncoder().encode(stills[2]), size)])]
        return try made.map { target, inputs in (target, try inputs + large(target)) }
    }

    /// A picture of several blocks, which damage may leave out.
    private static func large(_ target: String) throws -> [Data] {
        let image = TestImages.photograph(PixelSize(width: 192, height: 128))
        return switch target {
        case "heic": [try HEICEncoder().encode(image), ImageSequence.data]
        case "avif": [try AVIFEncoder(speed: 10).encode(image)]
        default: []
        }
    }

    /// Small files that others have written, where the shared corpus is there.
    private static func corpus(_ target: String) throws -> [Data] {
        let files = SharedCorpus.files(format: ImageFormat(rawValue: target))
        return try files.map { try $0.bytes() }.filter { $0.count <= 4_096 }
    }

    /// Three frames that are told apart by their gray.
    private static func animated(_ size: PixelSize) -> Image {
        let source = FakeFrameSource(frameCount: 3, size: size)
        let first = source.image(at: 0)
        return Image(
            size: size,
            pixelFormat: first.pixelFormat,
            pixels: first.pixels,
            animation: Animation(source: source, firstFrame: first)
        )
    }

    /// An icon of one PNG.
    private static func icon(_ picture: Data, _ size: PixelSize) -> Data {
        let directory: [UInt8] = [0, 0, 1, 0, 1, 0, UInt8(size.width), UInt8(size.height), 0, 0, 1, 0, 32, 0]
        let count = withUnsafeBytes(of: UInt32(picture.count).littleEndian) { Data($0) }
        return Data(directory) + count + Data([22, 0, 0, 0]) + picture
    }
}
