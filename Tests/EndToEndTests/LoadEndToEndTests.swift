import CalotypeCore
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct LoadEndToEndTests {
    private let folder: ScratchFolder
    private var cache: [String] { ["--cache-dir", folder.path + "/cache"] }

    init() throws {
        folder = try ScratchFolder()
    }

    /// Runs `body` with the URL of an origin that serves two images and some faults.
    private func withOrigin(_ body: (LoopbackOrigin, (String) -> String) async throws -> Void) async throws {
        let jpeg = try Pictures.jpeg()
        let origin = try await LoopbackOrigin.start(routes: [
            "/a.jpg": .body(jpeg), "/b.png": .body(try Pictures.png()), "/empty.jpg": .body(Data()),
            "/page.jpg": .body(Data("<html><body>not here</body></html>".utf8), type: "text/html"),
            "/half.jpg": .body(jpeg.prefix(jpeg.count / 2)), "/500.jpg": .status(500),
            "/short.jpg": .body(jpeg, announcing: jpeg.count + 10),
            "/reset.jpg": .body(jpeg, resetAfter: 100),
        ])
        let result = await Result { () async throws -> Void in
            try await body(origin) { origin.url($0).absoluteString }
        }
        await origin.close()
        try result.get()
    }

    private func sources(_ outcome: Tool.Outcome) throws -> [String?] {
        try outcome.objects.map { $0["source"] as? String }
    }

    @Test func `a second process loads the same images from disk, in the requested order`() async throws {
        try await withOrigin { origin, url in
            let arguments = ["load", url("/b.png"), url("/a.jpg"), "--json"] + cache
            let cold = try await Tool.run(arguments)
            // On a busy machine a load may time out and be retried.
            let requestCount = await origin.activity.snapshot.requests.count
            let warm = try await Tool.run(arguments)
            #expect(cold.status == 0 && warm.status == 0)
            #expect(try sources(cold) == ["network", "network"])
            #expect(try sources(warm) == ["disk", "disk"])
            #expect(try warm.objects.map { $0["url"] as? String } == [url("/b.png"), url("/a.jpg")])
            #expect(await origin.activity.snapshot.requests.count == requestCount && requestCount >= 2)
            #expect(cold.errors == "")
        }
    }

    @Test func `an output line has all documented fields`() async throws {
        try await withOrigin { _, url in
            let object = try #require(
                try await Tool.run(["load", url("/a.jpg"), "--json"] + cache).objects.first
            )
            #expect(
                Set(object.keys) == [
                    "url", "source", "width", "height", "format", "bytes", "frames", "elapsedMs",
                ]
            )
            #expect(object["width"] as? Int == 120 && object["height"] as? Int == 80)
            #expect(object["format"] as? String == "jpeg")
            #expect(try object["bytes"] as? Int == Pictures.jpeg().count)
            #expect(object["frames"] as? Int == 1)
            #expect(try #require(object["elapsedMs"] as? Double) > 0)
        }
    }

    @Test func `the second pass of one process finds every image in memory`() async throws {
        try await withOrigin { origin, url in
            let arguments = ["load", url("/a.jpg"), url("/b.png"), "--repeat", "2", "--json"]
            let outcome = try await Tool.run(arguments + cache)
            #expect(try sources(outcome) == ["network", "network", "memory", "memory"])
            #expect(try outcome.objects.map { $0["bytes"] as? Int }[2] == Pictures.jpeg().count)
            // On a busy machine a load may time out and be retried.
            let first = await origin.activity.snapshot.requests.count
            let noMemory = try await Tool.run(arguments + cache + ["--no-memory"])
            #expect(try sources(noMemory) == ["disk", "disk", "disk", "disk"])
            #expect(await origin.activity.snapshot.requests.count == first && first >= 2)
            let noCache = try await Tool.run(arguments + cache + ["--no-memory", "--no-disk"])
            #expect(try sources(noCache) == ["network", "network", "network", "network"])
            let second = await origin.activity.snapshot.requests.count
            #expect(second >= first + 4)
            let refreshed = try await Tool.run(arguments + cache + ["--refresh"])
            #expect(try sources(refreshed) == ["network", "network", "network", "network"])
            let requests = await origin.activity.snapshot.requests
            #expect(requests.count >= second + 4, "\(requests)")
        }
    }

    @Test(arguments: [
        ("/none.jpg", "unacceptableStatus"), ("/500.jpg", "unacceptableStatus"), ("/empty.jpg", "empty"),
        ("/page.jpg", "unrecognizedFormat"), ("/half.jpg", "truncated"), ("/short.jpg", "lengthMismatch"),
        ("/reset.jpg", "connectionLost"),
    ])
    func `an invalid response is one clear error, is not cached, and other loads succeed`(
        path: String,
        code: String
    ) async throws {
        try await withOrigin { _, url in
            let outcome = try await Tool.run(["load", url(path), url("/a.jpg"), "--json"] + cache)
            #expect(outcome.status == 1)
            #expect(try sources(outcome) == [nil, "network"])
            let error = try #require(try outcome.objects[0]["error"] as? String)
            #expect(error.hasPrefix("\(code): "))
            #expect(outcome.errorLines == ["error: \(url(path)): \(error)"])
            let list = try await Tool.run(["cache", "list", "--json"] + cache)
            #expect(try list.objects.map { $0["key"] as? String } == [url("/a.jpg")])
        }
    }

    @Test func `a cache miss gives status 4 if loading is forbidden`() async throws {
        try await withOrigin { origin, url in
            let arguments = ["load", url("/a.jpg"), "--only-from-cache", "--json"] + cache
            let absent = try await Tool.run(arguments)
            #expect(absent.status == 4)
            #expect(try (absent.objects.first?["error"] as? String)?.hasPrefix("notInCache: ") == true)
            #expect(await origin.activity.snapshot.requests.isEmpty)
            _ = try await Tool.run(["load", url("/a.jpg")] + cache)
            let present = try await Tool.run(arguments)
            #expect(present.status == 0)
            #expect(try sources(present) == ["disk"])
        }
    }

    @Test func `an unwritable cache is one warning, and the load succeeds`() async throws {
        try await withOrigin { _, url in
            let file = folder.path + "/file"
            try await OutputFile.write(Data([1]), to: file)
            let arguments = ["load", url("/a.jpg"), "--json", "--cache-dir", file + "/cache"]
            let outcome = try await Tool.run(arguments)
            #expect(outcome.status == 0)
            #expect(try sources(outcome) == ["network"])
            #expect(outcome.errorLines.count == 1)
            #expect(outcome.errors.hasPrefix("warning: \(url("/a.jpg")): not stored on disk: obstructed: "))
            #expect(try Data(contentsOf: URL(filePath: file)) == Data([1]))
        }
    }

    @Test func `files, data URLs and damaged addresses need no network`() async throws {
        let path = folder.path + "/a b#c.png"
        let png = try Pictures.png()
        try await OutputFile.write(png, to: path)
        let inline = "data:image/png;base64," + png.base64EncodedString()
        let outcome = try await Tool.run(
            ["load", path, inline, "http://[", "gopher://h/a", "--json"] + cache
        )
        #expect(outcome.status == 1)
        #expect(try sources(outcome) == ["file", "data", nil, nil])
        #expect(
            try outcome.objects.map { $0["url"] as? String } == [path, inline, "http://[", "gopher://h/a"]
        )
        let codes = try outcome.objects.map { ($0["error"] as? String)?.prefix { $0 != ":" } }
        #expect(codes == [nil, nil, "invalidURL", "unsupportedScheme"])
        // Neither is copied to the disk cache.
        #expect(try await Tool.run(["cache", "list", "--json"] + cache).output == "")
    }

    @Test func `images are written unchanged, unless another size or format is requested`() async throws {
        try await withOrigin { _, url in
            let out = folder.path + "/out"
            let both = ["load", url("/a.jpg"), url("/b.png"), "--output"]
            #expect(try await Tool.run(both + [out] + cache).status == 0)
            #expect(try Data(contentsOf: URL(filePath: out + "/a.jpg")) == Pictures.jpeg())
            #expect(try Data(contentsOf: URL(filePath: out + "/b.png")) == Pictures.png())
            // The result is the same from disk, without disk, and from memory.
            for options in [[], ["--no-disk"], ["--no-disk", "--repeat", "2"]] {
                let target = out + "-\(options.count)/"
                _ = try await Tool.run(both + [target] + cache + options)
                #expect(try Data(contentsOf: URL(filePath: target + "a.jpg")) == Pictures.jpeg())
            }
            let small = ["load", url("/a.jpg"), "--width", "30", "--output", out + "/small.png"]
            #expect(try await Tool.run(small + cache).status == 0)
            let info = try await Tool.run("info", "--json", out + "/small.png").objects.first
            #expect(info?["format"] as? String == "png")
            #expect(info?["width"] as? Int == 30 && info?["height"] as? Int == 20)
        }
    }

    @Test func `a file that cannot be written fails only its load`() async throws {
        try await withOrigin { _, url in
            let path = folder.path + "/none/a.jpg"
            let outcome = try await Tool.run(["load", url("/a.jpg"), "--output", path, "--json"] + cache)
            #expect(outcome.status == 1)
            let error = try #require(try outcome.objects.first?["error"] as? String)
            #expect(error == "notWritable: cannot write \(path): No such file or directory")
        }
    }

    @Test func `an interrupt ends the load with status 130 and leaves no temporary file`() async throws {
        let gate = OriginGate()
        let jpeg = try Pictures.jpeg()
        let stalled = OriginResponse(
            framing: .announced(jpeg.count),
            steps: [.bytes(jpeg.prefix(100)), .wait(gate), .bytes(jpeg.dropFirst(100))]
        )
        let origin = try await LoopbackOrigin.start(routes: ["/a.jpg": stalled])
        let arguments = ["load", origin.url("/a.jpg").absoluteString, "--json"] + cache
        let outcome = try await Tool.run(arguments) { process in
            await gate.arrived()
            kill(process, SIGINT)
        }
        await origin.close()
        #expect(outcome.status == 130)
        #expect(outcome.output == "")
        #expect(try !FileManager.default.fileExists(atPath: folder.path + "/cache") || folder.files() == [])
    }
}
