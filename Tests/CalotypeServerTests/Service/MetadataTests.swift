import Calotype
import CalotypeSandbox
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing
import WorkerSupport

/// The metadata of results: none, or the copyright or all of it on request.
@Suite(.blocking) struct MetadataTests {
    private static let copyright = Copyright(artist: "Ann Artist", notice: "2026 Bob Owner")
    /// Texts that must not be in a result.
    private static let secrets = ["gps-secret", "xmp-secret", "iptc-secret", "comment-secret", "icc-secret"]

    /// A JPEG with Exif including a location, XMP, IPTC, a comment, and a false profile.
    private static func original() throws -> Data {
        let picture = TestImages.photograph(PixelSize(width: 120, height: 90))
        let file = try JPEGEncoder(quality: 90).encode(picture)
        let segments: [(marker: UInt8, payload: Data)] = [
            (0xE1, Data("Exif\0\0".utf8) + exif),
            (0xE1, Data("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>xmp-secret</x:xmpmeta>".utf8)),
            (0xE2, Data("ICC_PROFILE\0".utf8) + [1, 1] + Data("icc-secret".utf8)),
            (0xED, Data("Photoshop 3.0\08BIM\u{4}\u{4}\0\0\0\0\0\u{B}iptc-secret\0".utf8)),
            (0xFE, Data("comment-secret".utf8)),
        ]
        let middle = segments.reduce(Data()) { bytes, segment in
            bytes + [0xFF, segment.marker] + big(UInt16(segment.payload.count + 2)) + segment.payload
        }
        return file.prefix(2) + middle + file.dropFirst(2)
    }

    /// Artist, Copyright and a GPS directory (EXIF 2.32 section 4.6.6) with GPSMapDatum.
    private static var exif: Data {
        let texts = ["Ann Artist\0", "2026 Bob Owner\0", "gps-secret\0"].map { Data($0.utf8) }
        let values = 8 + 2 + 3 * 12 + 4
        let gps = values + texts[0].count + texts[1].count
        func entry(_ tag: UInt16, _ type: UInt16, _ count: Int, _ value: Int) -> Data {
            big(tag) + big(type) + big(UInt32(count)) + big(UInt32(value))
        }
        return Data("MM\0*".utf8) + big(UInt32(8)) + big(UInt16(3))
            + entry(0x013B, 2, texts[0].count, values)
            + entry(0x8298, 2, texts[1].count, values + texts[0].count)
            + entry(0x8825, 4, 1, gps) + big(UInt32(0)) + texts[0] + texts[1]
            + big(UInt16(1)) + entry(0x0012, 2, texts[2].count, gps + 2 + 12 + 4) + big(UInt32(0)) + texts[2]
    }

    private static func big(_ value: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: value.bigEndian) { Data($0) }
    }

    private static func service(
        _ codecs: CodecRegistry = .publicWeb,
        keeps: Bool = false,
        keepsSmaller: Bool = false
    ) throws -> ImageService {
        let original = try original()
        let bench = try ServiceBench { request, _ in
            .network(request.url, original, ["Cache-Control": "max-age=600"])
        }
        return bench.service(codecs: codecs) {
            $0.encodings.keepsCopyright = keeps
            $0.encodings.keepsSmallerOriginals = keepsSmaller
        }
    }

    private static func ask(_ service: ImageService, _ target: String) async throws -> ServiceResponse {
        let answer = try await service.response(to: ServiceRequest(target: "/unsafe/\(target)"))
        #expect(answer.status == 200, "\(target)")
        return answer
    }

    @Test func `metadata is kept although the original without it would be smaller`() async throws {
        let service = try Self.service(keepsSmaller: true)
        let kept = try await Self.ask(service, "sm:0/q:100/\(examplePath)@jpg").body
        #expect(Self.has("gps-secret", kept) && !Self.has("comment-secret", kept))
    }

    private static func has(_ text: String, _ bytes: Data) -> Bool { bytes.range(of: Data(text.utf8)) != nil }

    @Test(arguments: ["jpg", "png", "webp", "avif", "gif"])
    func `all metadata is removed, and the copyright is retained on request`(format: String) async throws {
        let service = try Self.service()
        let original = try Self.original()
        #expect(Self.secrets.allSatisfy { Self.has($0, original) })
        let tail = "w:30/\(examplePath)@\(format)"
        for target in [tail, "kcr:0/\(tail)"] {
            let plain = try await Self.ask(service, target).body
            let texts = Self.secrets + ["Exif", "eXIf", "EXIF", "MM\0*", "II*\0", "Ann Artist", "Bob Owner"]
            for text in texts { #expect(!Self.has(text, plain), "\(text)") }
        }
        let kept = try await Self.ask(service, "kcr:1/\(tail)").body
        for text in Self.secrets { #expect(!Self.has(text, kept), "\(text)") }
        // GIF cannot store it.
        #expect(Self.has("Ann Artist", kept) == (format != "gif"))
        guard let block = kept.range(of: Data("MM\0*".utf8)) else { return }
        // Two entries: no location, and nothing after them.
        #expect(kept[block.lowerBound...].prefix(12) == Data("MM\0*".utf8) + [0, 0, 0, 8, 0, 2, 1, 0x3B])
        guard format != "avif" else { return }
        #expect(try CodecRegistry.publicWeb.decode(kept).metadata.copyright == Self.copyright)
    }

    @Test(arguments: ["jpg", "png", "webp", "avif", "gif"])
    func `all metadata is kept on request, without the profile and comments`(format: String) async throws {
        let service = try Self.service()
        let tail = "w:30/\(examplePath)@\(format)"
        let kept = try await Self.ask(service, "sm:0/\(tail)").body
        for text in ["gps-secret", "xmp-secret", "Ann Artist"] {
            #expect(Self.has(text, kept) == (format != "gif"), "\(text)")
        }
        #expect(Self.has("iptc-secret", kept) == (format == "jpg"))
        #expect(!Self.has("comment-secret", kept) && !Self.has("icc-secret", kept))
        let stripped = try await Self.ask(service, "sm:1/\(tail)").body
        for text in Self.secrets { #expect(!Self.has(text, stripped), "\(text)") }
        #expect(try await Self.ask(service, "sm:0/kcr:0/\(tail)").body == kept)
    }

    @Test func `results with and without copyright are cached separately`() async throws {
        let service = try Self.service(keeps: true)
        let tail = "w:30/\(examplePath)"
        let told = try await Self.ask(service, tail)
        let silent = try await Self.ask(service, "kcr:0/\(tail)")
        let again = try await Self.ask(service, "kcr:1/\(tail)")
        #expect(Self.has("Bob Owner", told.body) && !Self.has("Bob Owner", silent.body))
        #expect(silent["X-Cache"] == "miss" && silent["ETag"] != told["ETag"])
        #expect(again["X-Cache"] == "memory" && again.body == told.body)
        let limited = try await Self.ask(service, "mb:1/\(tail)")
        #expect(Self.has("Bob Owner", limited.body))
    }

    @Test(.enabled(Workers.advice, Workers.isAvailable), arguments: ["jpg", "png", "webp", "avif"])
    func `a codec in a worker removes and retains the same metadata`(format: String) async throws {
        let there = try Self.service(try await Workers.started(maxCount: 1).codecs(.standard))
        let here = try Self.service(.standard)
        for option in ["kcr:0", "kcr:1", "sm:0"] {
            let target = "\(option)/w:30/\(examplePath)@\(format)"
            let body = try await Self.ask(there, target).body
            #expect(try await Self.ask(here, target).body == body)
            #expect(Self.has("Bob Owner", body) == (option != "kcr:0"))
        }
    }
}
