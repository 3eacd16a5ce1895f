import Calotype
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeServer

@Suite(.blocking) struct PageServiceTests {
    /// An icon with images of these sides.
    private static func icon(_ sides: [Int]) throws -> Data {
        let files = try sides.map { side in
            try ICOEncoder().encode(TestImages.photograph(PixelSize(width: side, height: side)))
        }
        var directory = Data([0, 0, 1, 0, UInt8(files.count), 0])
        var start = 6 + 16 * files.count
        for file in files {
            let (entry, count) = (file.dropFirst(6).prefix(12), file.count - 22)
            directory += entry + Data((0..<4).map { UInt8(start >> (8 * $0) & 255) })
            start += count
        }
        return files.reduce(directory) { $0 + $1.dropFirst(22) }
    }

    /// Requests an original with options in a format; the image is decoded again.
    private static func result(
        of data: Data,
        _ options: String,
        _ format: String
    ) async throws -> (image: Image, answer: ServiceResponse) {
        let bench = try ServiceBench { request, _ in .network(request.url, data) }
        let target = "/unsafe/\(options)\(examplePath)@\(format)"
        let answer = try await bench.service().response(to: ServiceRequest(target: target))
        try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        return (try CodecRegistry.standard.decode(answer.body), answer)
    }

    @Test(arguments: [("", 48), ("pg:0/", 16), ("pg:1/", 48), ("pg:2/", 32), ("pg:9/", 32)])
    func `an image of an icon is selected by page`(options: String, side: Int) async throws {
        let (image, _) = try await Self.result(of: try Self.icon([16, 48, 32]), options, "png")
        #expect(image.size == PixelSize(width: side, height: side) && image.format == .png)
    }

    @Test func `a page is resized by its own size`() async throws {
        let icon = try Self.icon([16, 48, 32])
        #expect(try await Self.result(of: icon, "pg:0/w:8/", "png").image.size.width == 8)
        #expect(try await Self.result(of: icon, "pg:0/w:40/", "png").image.size.width == 16, "not enlarged")
        let (stack, _) = try await Self.result(of: icon, "pg:0/pgs:2/h:32/", "png")
        #expect(stack.size == PixelSize(width: 24, height: 32))
    }

    @Test func `an icon is a result of at most 256 pixels a side`() async throws {
        let photograph = try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 1200, height: 800)))
        let (image, answer) = try await Self.result(of: photograph, "rs:fit:512:512/", "ico")
        #expect(image.size == PixelSize(width: 256, height: 171) && image.format == .ico)
        #expect(answer["Content-Type"] == ImageFormat.ico.mediaType)
        #expect(try await Self.result(of: photograph, "rs:fill:32:32/", "ico").image.size.width == 32)
    }
}
