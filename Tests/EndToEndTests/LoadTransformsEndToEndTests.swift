import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct LoadTransformsEndToEndTests {
    private let folder: ScratchFolder
    private var cache: [String] { ["--cache-dir", folder.path + "/cache"] }

    init() throws {
        folder = try ScratchFolder()
    }

    /// Runs `body` with an origin and the URLs of a photograph of 120 × 80 pixels and a poster of 64 × 48.
    private func withOrigin(
        _ body: (_ origin: LoopbackOrigin, _ jpeg: String, _ png: String) async throws -> Void
    ) async throws {
        let origin = try await LoopbackOrigin.start(routes: [
            "/a.jpg": .body(try Pictures.jpeg()), "/b.png": .body(try Pictures.png()),
        ])
        let result = await Result { () async throws -> Void in
            try await body(
                origin,
                origin.url("/a.jpg").absoluteString,
                origin.url("/b.png").absoluteString
            )
        }
        await origin.close()
        try result.get()
    }

    private func transformed(_ data: Data, _ chain: TransformChain) throws -> Data {
        try chain.apply(to: CodecRegistry.standard.decode(data)).rgba8()
    }

    @Test func `the transformed image is written in the format of the file extension`() async throws {
        try await withOrigin { _, _, png async throws in
            let path = folder.path + "/out.bmp"
            let steps = ["--transform", "blur:sigma=2", "--transform", "invert"]
            let outcome = try await Tool.run(["load", png, "--output", path, "--json"] + steps + cache)
            #expect(outcome.status == 0)
            let object = try #require(try outcome.objects.first)
            #expect(object["format"] as? String == "bmp")
            #expect(try object["bytes"] as? Int == Data(contentsOf: URL(filePath: path)).count)
            let expected = try transformed(Pictures.png(), [.blur(sigma: 2), .invert])
            #expect(try image(path).rgba8() == expected)
        }
    }

    @Test func `images in a folder retain their format, unless they become transparent`() async throws {
        try await withOrigin { _, jpeg, png async throws in
            for (step, names) in [("blur:sigma=2", ["a.jpg", "b.png"]), ("circle", ["a.png", "b.png"])] {
                let out = "\(folder.path)/\(step)/"
                let arguments = ["load", jpeg, png, "--output", out, "--transform", step, "--json"]
                #expect(try await Tool.run(arguments + cache).status == 0)
                #expect(try FileManager.default.contentsOfDirectory(atPath: out).sorted() == names)
                let expected = try transformed(Pictures.png(), step == "circle" ? .circle() : .blur(sigma: 2))
                #expect(try image(out + "b.png").rgba8() == expected)
            }
        }
    }

    @Test func `another transform is another image in memory, from the same original`() async throws {
        try await withOrigin { origin, jpeg, _ async throws in
            let load = ["load", jpeg, "--repeat", "2", "--json"] + cache
            var requestCounts: [Int] = []
            for steps in [[], ["--transform", "resize:width=60"], ["--transform", "resize:width=30"]] {
                let objects = try await Tool.run(load + steps).objects
                #expect(objects.map { $0["source"] as? String }.last == "memory")
                let width = steps.last.flatMap { Int($0.suffix(2)) } ?? 120
                #expect(objects.map { $0["width"] as? Int } == [width, width])
                requestCounts.append(await origin.activity.snapshot.requests.count)
            }
            // On a busy machine the first load may time out and be retried.
            #expect(requestCounts.allSatisfy { $0 == requestCounts[0] && $0 >= 1 })
        }
    }

    @Test func `with a format, the transformed image is cached on disk in it`() async throws {
        try await withOrigin { origin, jpeg, _ async throws in
            let load = ["load", jpeg, "--format", "png", "--transform", "crop:size=30x20", "--json"] + cache
            let path = folder.path + "/out.png"
            #expect(try await Tool.run(load).status == 0)
            // On a busy machine a load may time out and be retried.
            let requestCount = await origin.activity.snapshot.requests.count
            let warm = try await Tool.run(load + ["--only-from-cache", "--no-memory", "--output", path])
            #expect(try warm.objects.first?["source"] as? String == "disk")
            #expect(try image(path).size == PixelSize(width: 30, height: 20))
            let other = load.map { $0 == "crop:size=30x20" ? "crop:size=20x30" : $0 }
            #expect(try await Tool.run(other).objects.first?["height"] as? Int == 30)
            #expect(await origin.activity.snapshot.requests.count == requestCount && requestCount >= 1)
        }
    }

    @Test func `width and height apply before the transform steps`() async throws {
        try await withOrigin { _, jpeg, _ async throws in
            let steps = ["--transform", "rotate:90", "--width", "60", "--json"]
            let object = try #require(try await Tool.run(["load", jpeg] + steps + cache).objects.first)
            #expect(object["width"] as? Int == 40 && object["height"] as? Int == 60)
        }
    }

    @Test func `a step that cannot be applied fails only its image`() async throws {
        try await withOrigin { _, jpeg, png async throws in
            let step = ["--transform", "crop:rect=100,0,20,20", "--json"]
            let outcome = try await Tool.run(["load", jpeg, png] + step + cache)
            #expect(outcome.status == 1)
            let objects = try outcome.objects
            try #require(objects.count == 2)
            #expect(objects[0]["error"] == nil && objects[0]["width"] as? Int == 20)
            #expect((objects[1]["error"] as? String)?.hasPrefix("emptyResult: ") == true)
            #expect(outcome.errorLines.count == 1)
        }
    }

    @Test func `the image of an overlay is read before loading`() async throws {
        try await withOrigin { origin, jpeg, _ async throws in
            let logo = folder.path + "/logo,1.png"
            let load = ["load", jpeg, "--transform", "overlay:file=\(logo),margin=3"] + cache
            let missing = try await Tool.run(load)
            #expect(missing.status == 1 && missing.output == "")
            #expect(missing.errorLines.count == 1 && missing.errors.hasPrefix("error: fileNotFound: "))
            #expect(await origin.activity.snapshot.requests.isEmpty)
            try await OutputFile.write(Data("text".utf8), to: logo)
            #expect(try await Tool.run(load).errors.hasPrefix("error: unrecognizedFormat: "))
            try await OutputFile.write(try Pictures.png(), to: logo)
            let path = folder.path + "/out.png"
            #expect(try await Tool.run(load + ["--output", path]).status == 0)
            let badge = try CodecRegistry.standard.decode(Pictures.png())
            #expect(try image(path).rgba8() == transformed(Pictures.jpeg(), .overlay(badge, margin: 3)))
        }
    }
}
