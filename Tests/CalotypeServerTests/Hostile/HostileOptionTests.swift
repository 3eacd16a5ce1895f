import Calotype
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

/// Options that overflow, multiply or explode, sent to a complete service.
@Suite(.blocking) struct HostileOptionTests {
    private static func status(_ target: String, _ service: ImageService) async throws -> Int {
        let answer = try await service.response(to: ServiceRequest(target: target))
        if answer.status != 200 { #expect(answer["Cache-Control"] == "no-store", "\(target.prefix(80))") }
        return answer.status
    }

    @Test(arguments: [
        "w:-1", "w:2147483648", "w:9223372036854775807", "w:9223372036854775808", "w:NaN", "w:Inf", "w:1e309",
        "w:", "w", "h:-0x1", "rs:fit:99999999999999999999:1", "s:-1:-1", "mw:2147483648", "z:1e6", "z:-1",
        "z:NaN", "z:1:1e309", "dpr:1e6", "dpr:0", "dpr:-1", "dpr:NaN", "dpr:inf", "dpr:1e309", "bl:1e9",
        "bl:-1", "bl:NaN", "sh:1e9", "sh:-0.1", "q:101", "q:-1", "q:1e2", "c:-1:5", "c:NaN:5", "c:5:1e309",
        "c:100001:5", "g:no:1e309", "g:fp:2:0", "pd:9223372036854775807:9223372036854775807",
        "pd:100001", "pd:-1", "pd:4294967296", "t:1e309", "rot:1", "rot:9223372036854775807", "exp:-1",
        "exp:99999999999999999999", "mb:-1", "bg:999999999", "fq:jpg:101", "skp:exe", "f:exe",
        "wm:1", "wm:0.5:ce:1e309", "wm:1:ce:0:0:1e309", "wms:100001", "wm_rot:NaN", "wmu:%2e%2e", "wmt:aGk",
        "fiu:aHR0cDovLzEyNy4wLjAuMS8",
        "br:256", "br:1e2", "co:0", "co:101", "co:NaN", "sa:1e309", "a:1:NaN", "mc:2", "mc:NaN", "mc:1:red",
        "dt:1:0000000", "pix:-1", "pix:100001", "pix:9223372036854775808", "ush:often", "ush:always:0",
        "ush:always:1e9", "ush:always:1:0", "ush:always:1:1e-9", "col:1e309", "col:1:#fff", "gr:NaN",
        "gr:1:fff:1e309", "gr:1:fff:down:NaN", "gr:1:fff:down:0:1e9", "bga:-1", "bga:NaN",
        "msr:1000000", "msfs:0", "maf:0", "maf:-1", "maf:1e9", "mafr:1", "mrd:1", "st:PHN2Zz4", "enc:x", "-",
        "pngo::1:0", "pngo::1:1", "pngo::1:257", "pngo::1:9223372036854775808", "jpgo:1:1:1:1:1:8",
        "webpo:near_lossless", "webpo:::nothing", "avifo:1", "mb:9223372036854775808",
    ])
    func `an option out of range, or one that loads another image, is refused before loading`(
        option: String
    ) async throws {
        let bench = try ServiceBench()
        let service = bench.service()
        let status = try await Self.status("/unsafe/\(option)/\(examplePath)", service)
        #expect([403, 404, 422].contains(status))
        #expect(bench.loader.requests.isEmpty)
        #expect(try await Self.status("/unsafe/w:9/\(examplePath)", service) == 200)
    }

    @Test(arguments: [
        "-1x5:5x5", "99999999999999999999x1:2x2", "100001x5", "5x100001", "5x9223372036854775808",
        "filters:blur(1e9)", "filters:blur(NaN)", "filters:quality(0)", "filters:quality(101)",
        "filters:proportion(0)", "filters:proportion(1e309)", "filters:rotate(1)", "filters:saturation(-1)",
        "filters:round_corner(100001,0,0,0)", "filters:round_corner(5,256,0,0)", "filters:sharpen(1,-1,true)",
        "filters:max_bytes(-1)", "filters:max_age(99999999999999999999)", "filters:format(exe)",
        "filters:watermark(http://127.0.0.1/a,0,0,0)", "filters:frame(http://127.0.0.1/a)",
        "filters:image(http://127.0.0.1/a,0,0)", "filters:brightness(1e309)",
        "filters:unheard(of)", "filters:blur(%zz)", "trim:9999", "meta", "debug",
        "filters:\(String(repeating: "blur(1):", count: 200))blur(1)",
        "filters:blur(\(String(repeating: "1,", count: 2_000)))",
    ])
    func `the same options are refused in thumbor's grammar`(part: String) async throws {
        let bench = try ServiceBench()
        let service = bench.service { $0.sources.patterns = [] }
        // An unknown part starts the source, and no source is allowed here.
        let status = try await Self.status("/thumbor/unsafe/\(part)/src.test/photo.jpg", service)
        #expect([403, 404, 414, 422].contains(status))
        #expect(bench.loader.requests.isEmpty)
    }

    @Test(arguments: [
        ("w:0", 120, 90), ("w:005", 5, 4), ("w:60/w:30", 30, 23), ("q:0", 120, 90), ("q:100/w:9", 9, 7),
        // A crop outside of the image is clipped to the image.
        ("c:50000:50000", 120, 90), ("c:40:40:nowe:5000:5000", 40, 40), ("c:40:40:soea:-5000:-5000", 40, 40),
        ("c:1e-300:1e-300", 1, 1), ("g:fp:1:1/rs:fill:10:10", 10, 10), ("g:no:99999/rs:fill:10:10", 10, 10),
        ("dpr:100/w:5", 120, 90), ("dpr:1e-300/w:50", 1, 1), ("z:1e-300/w:50", 1, 1), ("t:255", 120, 90),
        ("mw:50/w:1", 1, 38), ("rs:force:1:90", 1, 90), ("maf:1000000000/w:12", 12, 9),
        ("pix:100000", 120, 90), ("ush:always:100:0.1/bl:200", 120, 90), ("gr:1:fff:3600:1:0", 120, 90),
        ("a:255:100:100/mc:1:001/dt:1:fff:000", 120, 90), ("col:1e-300", 120, 90),
        ("maf:9223372036854775807", 120, 90), ("pngo:1:1:2/w:12", 12, 9), ("mb:1", 120, 90),
    ])
    func `an option at the edge of its range gives the possible image`(
        option: String,
        width: Int,
        height: Int
    ) async throws {
        let service = try ServiceBench().service()
        let answer = try await service.response(
            to: ServiceRequest(target: "/unsafe/\(option)/\(examplePath)@png")
        )
        #expect(answer.status == 200)
        let info = try CodecRegistry.publicWeb.info(of: answer.body, limits: DecodeLimits())
        #expect(abs(info.size.width - width) <= 1 && abs(info.size.height - height) <= 1, "\(info.size)")
    }

    @Test(arguments: [
        "el:1/w:100000", "el:1/dpr:100/w:5000", "el:1/z:100/w:90000", "pd:100000", "pd:60000:60000/dpr:100",
        "el:1/dpr:100/w:1000/pd:90000", "ex:1/w:100000/h:100000", "exar:1/rs:force:100000:100000:1",
        "mw:100000", "mh:99999/mw:99999",
    ])
    func `a result over the limit is refused, also if density and padding exceed it`(
        option: String
    ) async throws {
        let service = try ServiceBench().service()
        #expect(try await Self.status("/unsafe/\(option)/\(examplePath)", service) == 422)
        #expect(try await Self.status("/unsafe/w:9/\(examplePath)", service) == 200)
    }

    @Test(arguments: [
        "\(examplePath)@jxl", "f:jxl/\(examplePath)", "\(examplePath)@svg",
        "el:1/rs:force:20000:1/\(examplePath)@webp", "el:1/rs:force:66000:1/\(examplePath)@gif",
    ])
    func `a format that cannot be encoded, or cannot hold the result, is a client error`(tail: String)
        async throws
    {
        let service = try ServiceBench().service()
        let answer = try await service.response(to: ServiceRequest(target: "/unsafe/\(tail)"))
        #expect(answer.status == 422)
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("source"))
    }

    @Test func `an unsupported format in Accept is passed over`() async throws {
        let bench = try ServiceBench()
        let service = bench.service { $0.offers = [.jpegXL, .webP] }
        for (accept, type) in [("image/jxl", "image/jpeg"), ("image/jxl,image/webp", "image/webp")] {
            let request = ServiceRequest(target: "/unsafe/w:9/\(examplePath)", accept: accept)
            #expect(try await service.response(to: request)["Content-Type"] == type)
        }
    }

    @Test func `JPEG XL is encoded by name and by Accept if it can be decoded`() async throws {
        let service = try ServiceBench().service(codecs: .standard) { $0.offers = [.jpegXL, .webP] }
        for (target, accept) in [
            ("w:9/\(examplePath)@jxl", nil), ("w:9/\(examplePath)", "image/jxl,image/webp"),
        ] {
            let request = ServiceRequest(target: "/unsafe/\(target)", accept: accept)
            let answer = try await service.response(to: request)
            #expect(answer.status == 200 && answer["Content-Type"] == "image/jxl", "\(target)")
        }
    }

    @Test func `unsupported parts of thumbor's grammar are refused`() async throws {
        let service = try ServiceBench().service()
        for part in ["100000x100000", "100000x0", "fit-in/100000x100000/filters:fill(red)", "0x100000"] {
            #expect(
                try await Self.status("/thumbor/unsafe/\(part)/src.test/a.jpg", service) == 422,
                "\(part)"
            )
        }
    }

    @Test func `ten thousand options, filters and presets end at the limit`() async throws {
        let service = try ServiceBench().service()
        for target in [
            "/unsafe/\(String(repeating: "w:1/", count: 10_000))\(examplePath)",
            "/unsafe/\(String(repeating: "w:1/", count: 1_500))\(examplePath)",
            "/thumbor/unsafe/filters:\(String(repeating: "cover():", count: 900))cover()/src.test/a",
            "/unsafe/fq:\(String(repeating: "jpg:1:", count: 1_000))jpg:1/\(examplePath)",
        ] {
            #expect([404, 414].contains(try await Self.status(target, service)), "\(target.prefix(30))")
        }
    }
}
