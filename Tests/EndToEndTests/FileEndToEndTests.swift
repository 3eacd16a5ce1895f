import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTesting
import CalotypeTransforms
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct FileEndToEndTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    @Test func `info prints every field, and continues after an invalid file`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        let empty = try await folder.file("empty.png", Data())
        let outcome = try await Tool.run("info", "--json", empty, picture, folder.path + "/none")
        #expect(outcome.status == 1)
        let objects = try outcome.objects
        #expect(objects.map { $0["path"] as? String } == [empty, picture, folder.path + "/none"])
        #expect((objects[0]["error"] as? String)?.hasPrefix("empty: ") == true)
        #expect((objects[2]["error"] as? String)?.hasPrefix("fileNotFound: ") == true)
        #expect(outcome.errorLines.count == 2)
        #expect(
            Set(objects[1].keys) == [
                "path", "format", "width", "height", "orientation", "displayWidth", "displayHeight", "frames",
                "loopCount", "animationMs", "hasAlpha", "hasColorProfile",
                "bitDepth", "dynamicRange", "pixelFormat", "pages", "densityX", "densityY", "profileName",
                "chromaSubsampling",
            ]
        )
        #expect(objects[1]["pages"] as? Int == 1 && objects[1]["densityX"] is NSNull)
        #expect(objects[1]["width"] as? Int == 64 && objects[1]["displayHeight"] as? Int == 48)
        #expect(objects[1]["pixelFormat"] as? String == "rgb8")
    }

    @Test func `decode writes the pixels and their digest`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        let output = folder.path + "/a.rgba"
        let outcome = try await Tool.run("decode", picture, "--output", output, "--json")
        #expect(outcome.status == 0)
        let object = try #require(try outcome.objects.first)
        #expect(Set(object.keys) == ["width", "height", "format", "frame", "sha256"])
        let pixels = try Data(contentsOf: URL(filePath: output))
        #expect(try pixels == CodecRegistry.standard.decode(Pictures.png()).rgba8())
        var digest = MessageDigest.sha256()
        digest.update(pixels.span)
        let digits = digest.finalize().hexadecimalDigits
        #expect(object["sha256"] as? String == digits)
        let again = try await Tool.run("decode", picture, "--output", folder.path + "/b.png", "--json")
        #expect(try again.objects.first?["sha256"] as? String == digits)
        let reencoded = try CodecRegistry.standard.decode(
            Data(contentsOf: URL(filePath: folder.path + "/b.png"))
        )
        #expect(reencoded.rgba8() == pixels)
    }

    @Test func `decode writes a part of a damaged image on request, and reports it`() async throws {
        let picture = try await folder.file("a.jpg", try Pictures.jpeg().dropLast(400))
        let output = folder.path + "/a.rgba"
        let strict = try await Tool.run("decode", picture, "--output", output)
        #expect(strict.status == 1)
        let lenient = try await Tool.run("decode", picture, "--show-damaged", "--output", output)
        #expect(lenient.status == 0)
        #expect(lenient.errorLines == ["warning: \(picture): damaged; only the readable part is written"])
        let pixels = try Data(contentsOf: URL(filePath: output))
        let whole = try CodecRegistry.standard.decode(Pictures.jpeg()).rgba8()
        #expect(pixels.count == whole.count)
        #expect(pixels.prefix(4_000) == whole.prefix(4_000))
    }

    @Test func `decode accepts a JPEG that lacks only its end marker`() async throws {
        let picture = try await folder.file("a.jpg", try Pictures.jpeg().dropLast(2))
        let outcome = try await Tool.run("decode", picture, "--output", folder.path + "/a.rgba")
        #expect(outcome.status == 0)
        let pixels = try Data(contentsOf: URL(filePath: folder.path + "/a.rgba"))
        #expect(try pixels == CodecRegistry.standard.decode(Pictures.jpeg()).rgba8())
    }

    @Test func `decode scales an image to fit a box`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        let output = folder.path + "/a.rgba"
        let outcome = try await Tool.run("decode", picture, "--fit", "32x", "--output", output, "--json")
        #expect(try outcome.objects.first?["width"] as? Int == 32)
        #expect(try outcome.objects.first?["height"] as? Int == 24)
        #expect(try Data(contentsOf: URL(filePath: output)).count == 32 * 24 * 4)
    }

    @Test func `requesting a later frame of a still is a clear error`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        let outcome = try await Tool.run(
            "decode",
            picture,
            "--frame",
            "1",
            "--output",
            folder.path + "/a.rgba",
            "--json"
        )
        #expect(outcome.status == 1)
        let error = "noSuchFrame: there is no frame 1; the image is a still; its only frame is 0"
        #expect(try outcome.objects.first?["error"] as? String == error)
        #expect(outcome.errorLines == ["error: \(picture): \(error)"])
        #expect(try folder.files() == ["a.png"])
    }

    @Test func `convert reports the written file`() async throws {
        let picture = try await folder.file("a.jpg", try Pictures.jpeg())
        let output = folder.path + "/b.png"
        let outcome = try await Tool.run("convert", picture, output, "--height", "40", "--json")
        #expect(outcome.status == 0)
        let object = try #require(try outcome.objects.first)
        #expect(
            Set(object.keys)
                == ["url", "path", "width", "height", "format", "bytes", "frames", "elapsedMs"]
        )
        #expect(object["url"] as? String == picture && object["path"] as? String == output)
        #expect(object["format"] as? String == "png")
        #expect(object["width"] as? Int == 60 && object["height"] as? Int == 40)
        let written = try Data(contentsOf: URL(filePath: output))
        #expect(object["bytes"] as? Int == written.count)
        #expect(try CodecRegistry.standard.decode(written).size == PixelSize(width: 60, height: 40))
    }

    @Test func `quality and a byte limit reduce the file size`() async throws {
        let picture = try await folder.file("a.jpg", try Pictures.jpeg())
        func byteCount(_ options: String...) async throws -> Int {
            let output = folder.path + "/b.jpg"
            let outcome = try await Tool.run(
                ["convert", picture, "-o", output, "--overwrite", "--json"] + options
            )
            return try #require(try outcome.objects.first?["bytes"] as? Int)
        }
        let fine = try await byteCount("--quality", "95")
        let coarse = try await byteCount("--quality", "20")
        let bounded = try await byteCount("--max-bytes", "2500")
        #expect(coarse < fine)
        #expect(bounded <= 2500)
    }

    @Test(arguments: ["convert", "load"])
    func `encoder options are the same in convert and load`(command: String) async throws {
        let poster = try CodecRegistry.standard.decode(try Pictures.png())
        let clear = try TransformChain.pad(by: PixelInsets(all: 8)).apply(to: poster)
        let picture = try await folder.file("a.png", try PNGEncoder().encode(clear))
        func bytes(_ name: String, _ options: String...) async throws -> Data {
            let output = folder.path + "/" + name
            let outcome = try await Tool.run([command, picture, "--output", output] + options)
            #expect(outcome.status == 0, "\(outcome)")
            return try Data(contentsOf: URL(filePath: output))
        }
        let scans = try await bytes("p.jpg", "--progressive", "--background", "f00", "--quality", "95")
        // The marker of a frame in several scans.
        #expect(scans.range(of: Data([0xFF, 0xC2])) != nil)
        let corner = try #require(try CodecRegistry.standard.decode(scans).color(atX: 0, y: 0))
        #expect(corner.red > 240 && corner.green < 16 && corner.blue < 16, "\(corner)")
        let kept = try CodecRegistry.standard.decode(try await bytes("k.webp", "--lossless", "--effort", "0"))
        #expect(kept.color(atX: 20, y: 20) == clear.color(atX: 20, y: 20))
        #expect(kept.color(atX: 0, y: 0)?.alpha == 0)
        let (fast, small) = (
            try await bytes("0.png", "--effort", "0"), try await bytes("9.png", "--effort", "9")
        )
        #expect(small.count < fast.count)
        #expect(try await bytes("m.jpg", "--max-bytes", "1500").count <= 1500)
    }

    @Test(arguments: [
        (["--lossless"], "b.jpg", "unsupportedFeature"), (["--max-bytes", "10"], "b.jpg", "limitExceeded"),
        (["--progressive"], "b.webp", "unsupportedFeature"),
    ])
    func `an option that the format does not support is refused, and nothing is written`(
        options: [String],
        name: String,
        code: String
    ) async throws {
        let picture = try await folder.file("a.jpg", try Pictures.jpeg())
        let outcome = try await Tool.run(["convert", picture, folder.path + "/" + name, "--json"] + options)
        #expect(outcome.status == 1)
        #expect(try (outcome.objects.first?["error"] as? String)?.hasPrefix("\(code): ") == true)
        #expect(try folder.files() == ["a.jpg"])
    }
}

@Suite(.gated) struct UsageEndToEndTests {
    @Test(arguments: [
        ["load"], ["load", "--width", "none", "a"], ["convert", "a.jpg", "b.xyz"], ["nonsense"],
        ["cache", "put", "key"], ["load", "a", "b", "--output", "/dev/null"], ["demo"],
        ["--nonsense"], ["convert", "a.jpg", "b.svg"], ["convert", "a.jpg"], ["convert", "a.jpg", "-"],
        ["load", "a", "b", "--output", "two.png"], ["load", "a", "--output", "-", "--json"],
        ["convert", "a.jpg", "b.jpg", "-o", "-", "-f", "png"], ["info"], ["load", "a", "--quality", "101"],
    ])
    func `invalid arguments give status 2, with output on standard error only`(
        arguments: [String]
    ) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix("error: "))
        #expect(outcome.errors.contains("--help") || outcome.errorLines.count == 1)
    }

    @Test(arguments: [
        ["--help"], ["load", "--help"], ["cache", "stats", "--help"], ["help", "convert"], [],
    ])
    func `requesting help succeeds`(arguments: [String]) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("USAGE: calotype"))
        #expect(outcome.errors == "")
    }

    @Test func `the version is printed`() async throws {
        let outcome = try await Tool.run("--version")
        #expect(outcome.status == 0)
        #expect(outcome.output == "calotype \(Version.current)\n")
    }
}
