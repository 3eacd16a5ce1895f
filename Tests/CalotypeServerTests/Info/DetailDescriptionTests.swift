import Calotype
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeServer

@Suite(.blocking) struct DetailDescriptionTests {
    /// A little-endian TIFF block: camera, ISO, date and a position, from entries of twelve bytes.
    private static let exif: Data = {
        func number(_ value: Int, _ byteCount: Int) -> Data {
            Data((0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ field: Data) -> Data {
            number(tag, 2) + number(type, 2) + number(count, 4) + field + Data(count: 4 - field.count)
        }
        func rationals(_ values: [Int]) -> Data {
            values.reduce(Data()) { $0 + number($1, 4) + number(1, 4) }
        }
        let name = Data("A \"B\" \u{7}C\\\0".utf8)
        let date = Data("2026:03:01 12:34:56\0".utf8)
        // The header, then directories of 3, 3 and 4 entries; 6 bytes beside the entries of each.
        let (second, third) = (8 + 6 + 36, 8 + 2 * (6 + 36))
        let values = third + 6 + 48
        let first = [
            entry(0x0110, 2, name.count, number(values, 4)), entry(0x8769, 4, 1, number(second, 4)),
            entry(0x8825, 4, 1, number(third, 4)),
        ]
        let photograph = [
            entry(0x829A, 5, 1, number(values + name.count + date.count, 4)),
            entry(0x8827, 3, 1, number(400, 2)),
            entry(0x9003, 2, date.count, number(values + name.count, 4)),
        ]
        let latitude = values + name.count + date.count + 8
        let position = [
            entry(1, 2, 2, Data("S\0".utf8)), entry(2, 5, 3, number(latitude, 4)),
            entry(3, 2, 2, Data("E\0".utf8)), entry(4, 5, 3, number(latitude + 24, 4)),
        ]
        let directories = [first, photograph, position].reduce(Data()) {
            $0 + number($1.count, 2) + $1.reduce(Data(), +) + number(0, 4)
        }
        return Data("II".utf8) + number(42, 2) + number(8, 4) + directories + name + date
            + number(1, 4) + number(250, 4) + rationals([33, 30, 0]) + rationals([151, 15, 36])
    }()

    private static func photograph() throws -> Data {
        let file = try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 60, height: 40)))
        let payload = Data("Exif\0\0".utf8) + exif
        let count = payload.count + 2
        let length = [UInt8(count >> 8 & 255), UInt8(count & 255)]
        return Data([0xFF, 0xD8, 0xFF, 0xE1]) + length + payload + file.dropFirst(2)
    }

    private static func description(
        of data: Data,
        _ options: String = "",
        _ configure: (inout ImageService.Configuration) -> Void = { _ in }
    ) async throws -> [String: Any] {
        let bench = try ServiceBench { request, _ in .network(request.url, data) }
        let target = "/info/unsafe/\(options)\(examplePath)"
        let answer = try await bench.service(configure).response(to: ServiceRequest(target: target))
        #expect(answer.status == 200)
        return try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
    }

    @Test func `a description has the Exif fields without the position`() async throws {
        let json = try await Self.description(of: try Self.photograph())
        let exif = try #require(json["exif"] as? [String: Any])
        #expect(exif["cameraModel"] as? String == "A \"B\" C\\")
        #expect(exif["isoSpeed"] as? Int == 400 && exif["exposureTime"] as? Double == 0.004)
        #expect(exif["captureDate"] as? String == "2026-03-01T12:34:56")
        #expect(exif["location"] == nil && exif["orientation"] == nil)
        #expect(json["chromaSubsampling"] as? String != nil && json["pages"] as? Int == 1)
        #expect(json["bitDepth"] as? Int == 8 && json["frameDurationsMs"] == nil)
    }

    @Test func `the position is described only where the service allows it`() async throws {
        let json = try await Self.description(of: try Self.photograph()) { $0.describesLocation = true }
        let exif = try #require(json["exif"] as? [String: Any])
        let location = try #require(exif["location"] as? [String: Any])
        #expect(location["latitude"] as? Double == -33.5 && location["longitude"] as? Double == 151.26)
        #expect(location["altitude"] == nil)
    }

    @Test(arguments: ["exif:0/", "exif:false/", "exif:1/exif:0/", "iptc:0/xmp:0/vm:0/exif:0:1/"])
    func `exif:0 leaves the fields out`(options: String) async throws {
        let json = try await Self.description(of: try Self.photograph(), options) {
            $0.describesLocation = true
        }
        #expect(json["exif"] == nil && json["width"] as? Int == 60)
    }

    @Test func `both descriptions of one original are cached, with tags of their own`() async throws {
        let data = try Self.photograph()
        let bench = try ServiceBench { request, _ in
            .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        let service = bench.service()
        var tags: Set<String?> = []
        for options in ["", "exif:0/", "", "exif:0/"] {
            let request = ServiceRequest(target: "/info/unsafe/\(options)\(examplePath)")
            let answer = try await service.response(to: request)
            let isKnown = tags.contains(answer["ETag"])
            tags.insert(answer["ETag"])
            #expect((answer["X-Cache"] == "memory") == isKnown)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("\"exif\"") == options.isEmpty)
        }
        #expect(tags.count == 2 && bench.loader.requests.count == 1)
        _ = try await service.purge(.source("http://src.test/photo.jpg"))
        for options in ["", "exif:0/"] {
            let request = ServiceRequest(target: "/info/unsafe/\(options)\(examplePath)")
            #expect(try await service.response(to: request)["X-Cache"] == "miss")
        }
    }

    @Test func `a description with the position is not confirmed by a service without it`() async throws {
        let data = try Self.photograph()
        let bench = try ServiceBench { request, _ in
            .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        var request = ServiceRequest(target: "/info/unsafe/\(examplePath)")
        let before = try await bench.service { $0.describesLocation = true }.response(to: request)
        #expect(String(decoding: before.body, as: UTF8.self).contains("latitude"))
        // The operator turns the position off; caches in front of the service revalidate what they have.
        request.ifNoneMatch = before["ETag"]
        let after = try await bench.service().response(to: request)
        #expect(after.status == 200 && !String(decoding: after.body, as: UTF8.self).contains("latitude"))
    }

    @Test(arguments: ["exif:1", "exif:0", "iptc:0", "xmp:0", "video_meta:0", "vm:0"])
    func `options of a description are unknown in the URL of an image`(option: String) async throws {
        let service = try ServiceBench().service()
        let target = "/unsafe/w:9/\(option)/\(examplePath)"
        #expect(try await service.response(to: ServiceRequest(target: target)).status == 404)
        #expect(try await service.response(to: ServiceRequest(target: "/info\(target)")).status == 200)
    }

    @Test(arguments: [("iptc:1", 422), ("xmp:1", 422), ("vm:1", 422), ("exif:1:1:1", 404), ("xmp:0:0", 404)])
    func `descriptions that the service lacks are refused`(option: String, status: Int) async throws {
        let service = try ServiceBench().service()
        let request = ServiceRequest(target: "/info/unsafe/\(option)/\(examplePath)")
        #expect(try await service.response(to: request).status == status)
    }

    @Test func `an animation is described with its frames`() async throws {
        let frames = [(1, 40), (2, 250)].map { level, milliseconds in (UInt8(level), milliseconds) }
        let data = Self.gif(frames)
        let json = try await Self.description(of: data)
        #expect(json["frames"] as? Int == 2 && json["loopCount"] as? Int == 0)
        #expect(json["frameDurationsMs"] as? [Int] == [40, 250])
    }

    /// A GIF of one pixel a frame that plays for ever.
    private static func gif(_ frames: [(level: UInt8, milliseconds: Int)]) -> Data {
        let head = Data("GIF89a".utf8) + Data([1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255])
        let loop = Data([0x21, 0xFF, 11]) + Data("NETSCAPE2.0".utf8) + Data([3, 1, 0, 0, 0])
        let body = frames.reduce(Data()) { data, frame in
            let delay = UInt8(frame.milliseconds / 10)
            let control = Data([0x21, 0xF9, 4, 0, delay, 0, 0, 0])
            // The code of one pixel of colour 0 or 1, in 2 bits at least: clear, colour, end.
            let codes: UInt8 = frame.level == 1 ? 0x4C : 0x44
            return data + control + Data([0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, codes, 1, 0])
        }
        return head + loop + body + Data([0x3B])
    }
}
