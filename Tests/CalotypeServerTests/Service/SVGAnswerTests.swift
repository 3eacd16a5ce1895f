import Calotype
import CalotypeCore
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

/// SVG sources; rasterising itself is tested with the workers.
@Suite(.gated) struct SVGAnswerTests {
    private static let document = Data("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>".utf8)

    /// A service whose sources are SVG, rasterised as one colour at the target size.
    private static func service(
        passesThrough: Bool,
        source: Data = document,
        codecs: CodecRegistry? = nil
    ) throws -> ImageService {
        var own = CodecRegistry.publicWeb
        own.register(PlainSVGDecoder())
        let bench = try ServiceBench { request, _ in .network(request.url, source) }
        return bench.service(codecs: codecs ?? own) { $0.passesSVGThrough = passesThrough }
    }

    @Test(arguments: [
        "/unsafe/\(examplePath)", "/unsafe/w:80/\(examplePath)", "/thumbor/unsafe/src.test/a.svg",
    ])
    func `an SVG is rasterised, to PNG by default`(target: String) async throws {
        let service = try Self.service(passesThrough: false)
        let answer = try await service.response(to: ServiceRequest(target: target))
        #expect(answer.status == 200 && answer["Content-Type"] == "image/png")
        #expect(answer["Content-Security-Policy"] == nil)
        let accept = "image/webp,image/svg+xml"
        let other = try await service.response(to: ServiceRequest(target: target, accept: accept))
        #expect(other["Content-Type"] == "image/webp")
    }

    @Test(arguments: [
        ("rs:fit:900:900:1", 900, 450), ("rs:fit:900:900", 900, 450), ("rs:fit:101:0", 101, 51),
        ("rs:force:70:90", 70, 90),
    ])
    func `an SVG is drawn at the size of the result`(options: String, width: Int, height: Int) async throws {
        let service = try Self.service(passesThrough: false)
        let target = "/unsafe/\(options)/\(examplePath)@png"
        let body = try await service.response(to: ServiceRequest(target: target)).body
        let image = try CodecRegistry.publicWeb.decode(body)
        #expect(image.size == PixelSize(width: width, height: height))
        // A line of one pixel, which any resize would change, is drawn at the left edge.
        let row = image.rgba8().prefix(4 * width)
        let isSharp =
            row.dropFirst(4).prefix(4).elementsEqual([9, 9, 9, 255]) && row.prefix(3).allSatisfy { $0 == 0 }
        #expect(isSharp || options.contains("force"))
    }

    @Test(arguments: ["", "skp:svg/", "raw:1/", "w:80/skp:svg/"])
    func `a passed-through SVG has a content security policy that forbids scripts`(
        options: String
    ) async throws {
        let service = try Self.service(passesThrough: true)
        let request = ServiceRequest(target: "/unsafe/\(options)\(examplePath)", accept: "image/avif,*/*")
        let answer = try await service.response(to: request)
        #expect(answer.status == 200 && answer.body == Self.document)
        #expect(answer["Content-Type"] == "image/svg+xml" && answer["X-Content-Type-Options"] == "nosniff")
        let policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        #expect(answer["Content-Security-Policy"] == policy)
    }

    @Test(arguments: ["w:80/\(examplePath)", "\(examplePath)@png", "skp:svg/\(examplePath)@webp"])
    func `with pass-through a URL that requests another result is rasterised`(
        target: String
    ) async throws {
        let service = try Self.service(passesThrough: true)
        let answer = try await service.response(to: ServiceRequest(target: "/unsafe/\(target)"))
        #expect(answer.status == 200 && answer["Content-Type"] != "image/svg+xml")
    }

    @Test func `SVG bytes are refused without pass-through, and those of svgz always`() async throws {
        let raw = ServiceRequest(target: "/unsafe/raw:1/\(examplePath)")
        let service = try Self.service(passesThrough: false)
        #expect(try await service.response(to: raw).status == 422)
        let skipped = ServiceRequest(target: "/unsafe/skp:svg/\(examplePath)")
        #expect(try await service.response(to: skipped)["Content-Type"] == "image/png")
        let packed = try Self.service(passesThrough: true, source: Data([0x1F, 0x8B, 8, 0]))
        #expect(try await packed.response(to: raw).status == 422)
        let plain = ServiceRequest(target: "/unsafe/\(examplePath)")
        #expect(try await packed.response(to: plain)["Content-Type"] == "image/png")
    }

    @Test(arguments: [false, true])
    func `without workers an SVG is refused`(passesThrough: Bool) async throws {
        let service = try Self.service(passesThrough: passesThrough, codecs: .publicWeb)
        for target in [
            "/unsafe/\(examplePath)", "/unsafe/raw:1/\(examplePath)", "/unsafe/w:9/\(examplePath)",
        ] {
            #expect(try await service.response(to: ServiceRequest(target: target)).status == 422)
        }
    }
}

/// Replaces the decoder in workers: 300 × 150 gray with a black line of one pixel at the left.
private struct PlainSVGDecoder: ImageDecoder {
    var formats: [ImageFormat] { [.svg] }

    func recognizes(_ data: Data) -> ImageFormat? { data.starts(with: [0x1F, 0x8B]) ? .svg : nil }

    func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        ImageInfo(format: .svg, size: PixelSize(width: 300, height: 150), hasAlpha: true, pixelFormat: .rgba8)
    }

    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let size = options.target.drawnSize(for: PixelSize(width: 300, height: 150))
        let pixels = try PixelBuffer(byteCount: 4 * size.pixelCount) { bytes throws(DecodeError) in
            for index in bytes.indices {
                bytes[index] = index % 4 == 3 ? 255 : index % (4 * size.width) < 4 ? 0 : 9
            }
        }
        return Image(size: size, pixelFormat: .rgba8, pixels: pixels, format: .svg)
    }
}
