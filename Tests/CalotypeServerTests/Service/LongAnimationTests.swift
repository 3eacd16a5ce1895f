import Calotype
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

/// Animations with more frames than the service allows.
@Suite(.blocking) struct LongAnimationTests {
    private static let frameCount = 1_100

    /// A GIF of 1,100 frames of 2×2 pixels, in two colours that alternate.
    private static func gif(frameCount: Int = frameCount) -> Data {
        var file = Data("GIF89a".utf8) + [2, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        for index in 0..<frameCount {
            // A delay of 10/100 s; four pixels of one colour.
            file += [0x21, 0xF9, 4, 0, 10, 0, 0, 0]
            file += [0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2]
            // 4 clears the table, so that codes keep their 3 bits, and 5 ends.
            let color = UInt32(index & 1)
            var (bits, shift) = (UInt32(0), 0)
            for code in [4, color, color, 4, color, color, 5] as [UInt32] {
                bits |= code << UInt32(shift)
                shift += 3
            }
            file += [3, UInt8(bits & 255), UInt8(bits >> 8 & 255), UInt8(bits >> 16 & 255), 0]
        }
        return file + [0x3B]
    }

    private static func service(_ data: Data, frames: Int = 1_000, truncates: Bool = true) throws
        -> ImageService
    {
        let bench = try ServiceBench { request, _ in
            .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        return bench.service {
            $0.limits.maxFrameCount = frames
            $0.limits.truncatesAnimations = truncates
        }
    }

    private static func frames(_ answer: ServiceResponse) throws -> Int {
        #expect(answer.status == 200)
        return try CodecRegistry.publicWeb.info(of: answer.body).frameCount
    }

    private static func ask(_ service: ImageService, _ target: String) async throws -> ServiceResponse {
        try await service.response(to: ServiceRequest(target: target))
    }

    @Test func `the test's animation is an ordinary GIF`() throws {
        let image = try CodecRegistry.publicWeb.decode(Self.gif())
        #expect(image.animation?.frameCount == Self.frameCount)
        #expect(try image.animation?.decodeFrame(at: 1).rgba8().first == 255)
    }

    @Test(arguments: [
        ("da:1/\(examplePath)", 1), ("\(examplePath)@jpg", 1), ("maf:1/\(examplePath)", 1),
        ("maf:5/\(examplePath)", 5), ("maf:1000000000/f:gif/w:1/\(examplePath)", 50),
        ("w:1/\(examplePath)@gif", 50),
    ])
    func `a long animation is truncated, and its first frame needs no limit`(tail: String, count: Int)
        async throws
    {
        let service = try Self.service(Self.gif(), frames: 50)
        #expect(try Self.frames(try await Self.ask(service, "/unsafe/\(tail)")) == count)
    }

    @Test func `the bytes of a long animation pass through, and it is described`() async throws {
        let service = try Self.service(Self.gif())
        let raw = try await Self.ask(service, "/unsafe/raw:1/\(examplePath)")
        #expect(raw.status == 200 && raw.body == Self.gif())
        let skipped = try await Self.ask(service, "/unsafe/skp:gif/\(examplePath)")
        #expect(skipped.body == Self.gif())
        let info = try await Self.ask(service, "/info/unsafe/\(examplePath)")
        let json = try #require(try JSONSerialization.jsonObject(with: info.body) as? [String: Any])
        #expect(json["frames"] as? Int == 1_000)
    }

    @Test func `without truncation a long animation is an error`() async throws {
        let service = try Self.service(Self.gif(), truncates: false)
        #expect(try await Self.ask(service, "/unsafe/da:1/\(examplePath)").status == 422)
        // A limit of the URL truncates to itself, but the service's limit holds.
        #expect(try await Self.ask(service, "/unsafe/maf:5/\(examplePath)").status == 200)
    }

    @Test func `results with different numbers of frames are cached separately`() async throws {
        let service = try Self.service(Self.gif(), frames: 50)
        for count in [3, 4, 3] {
            let answer = try await Self.ask(service, "/unsafe/maf:\(count)/\(examplePath)@gif")
            #expect(try Self.frames(answer) == count)
        }
    }
}
