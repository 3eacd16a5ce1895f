import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct LoadOptionsEndToEndTests {
    private let folder: ScratchFolder
    private var cache: [String] { ["--cache-dir", folder.path + "/cache"] }

    init() throws {
        folder = try ScratchFolder()
    }

    /// Runs `body` with an origin and the URLs of its paths.
    private func withOrigin(
        _ routes: [String: OriginResponse] = [:],
        _ body: (LoopbackOrigin, (String) -> String) async throws -> Void
    ) async throws {
        let jpeg = try Pictures.jpeg()
        let known: [String: OriginResponse] = [
            "/a.jpg": .body(jpeg), "/b.png": .body(try Pictures.png()), "/503.jpg": .status(503),
            "/half.jpg": .body(jpeg.prefix(jpeg.count / 2)),
        ]
        let origin = try await LoopbackOrigin.start(routes: known.merging(routes) { $1 })
        let result = await Result { () async throws -> Void in
            try await body(origin) { origin.url($0).absoluteString }
        }
        await origin.close()
        try result.get()
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    /// Runs a load with a single attempt; after a timeout, as on a busy machine, runs another.
    ///
    /// - Returns: The outcome, and the target: the path with a query unique to this load.
    private func load(_ path: String, of origin: LoopbackOrigin, _ options: String...) async throws
        -> (outcome: Tool.Outcome, target: String)
    {
        var tryCount = 0
        while true {
            tryCount += 1
            let target = "\(path)?\(UUID().uuidString)"
            let url = origin.url(target).absoluteString
            let outcome = try await Tool.run(["load", url, "--retry", "0", "--json"] + options + cache)
            if tryCount == 10 || !outcome.errors.contains("timedOut: ") { return (outcome, target) }
        }
    }

    private func requestCount(of target: String, _ origin: LoopbackOrigin) async -> Int {
        await origin.activity.snapshot.requests.count { $0.target == target }
    }

    @Test func `header fields are sent, and their responses are cached separately`() async throws {
        try await withOrigin { origin, url async throws in
            let own = ["load", url("/a.jpg"), "--header", "Authorization: a", "--header", "X-B: c", "--json"]
            #expect(try await Tool.run(own + cache).status == 0)
            let plain = try await Tool.run(["load", url("/a.jpg"), "--json"] + cache)
            #expect(try plain.objects.first?["source"] as? String == "network")
            let again = try await Tool.run(own + cache)
            #expect(try again.objects.first?["source"] as? String == "disk")
            let sent = await origin.activity.snapshot.requests.map { request in
                [request[header: "authorization"], request[header: "x-b"]]
            }
            // A set, since a load may time out on a busy machine and be retried.
            let expected: Set<[String?]> = [["a", "c"], [nil, nil]]
            #expect(Set(sent) == expected)
        }
    }

    @Test func `an invalid header field is a usage error that states why`() async throws {
        let outcome = try await Tool.run(["load", "a", "--header", "Accept image/png"] + cache)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("--header must be “Name: value”"))
    }

    @Test func `a stale response is revalidated with HTTP caching and used without it`() async throws {
        let stale = OriginResponse(
            headers: [OriginField("ETag", "\"1\""), OriginField("Cache-Control", "no-cache")],
            steps: [.bytes(try Pictures.jpeg())]
        )
        try await withOrigin(["/c.jpg": stale]) { origin, url async throws in
            let load = ["load", url("/c.jpg")] + cache
            #expect(try await Tool.run(load).status == 0)
            // On a busy machine a load may time out and be retried.
            let first = await origin.activity.snapshot.requests.count
            #expect(try await Tool.run(load).status == 0)
            #expect(await origin.activity.snapshot.requests.count == first)
            #expect(try await Tool.run(load + ["--http-cache"]).status == 0)
            let requests = await origin.activity.snapshot.requests.dropFirst(first)
            #expect(!requests.isEmpty && requests.allSatisfy { $0[header: "if-none-match"] == "\"1\"" })
        }
    }

    @Test(arguments: [0, 1]) func `a load is retried as often as requested`(retryCount: Int) async throws {
        try await withOrigin { origin, url async throws in
            let outcome = try await Tool.run(["load", url("/503.jpg"), "--retry", "\(retryCount)"] + cache)
            #expect(outcome.status == 1)
            #expect(await origin.activity.snapshot.requests.count == 1 + retryCount)
        }
    }

    @Test func `a permanent failure is requested once per run, unless a refresh is requested`() async throws {
        try await withOrigin { origin, _ async throws in
            let twice = try await load("/none.jpg", of: origin, "--repeat", "2")
            #expect(try twice.outcome.objects.count == 2)
            #expect(await requestCount(of: twice.target, origin) == 1)
            let anew = try await load("/none.jpg", of: origin, "--repeat", "2", "--refresh")
            #expect(anew.outcome.status == 1)
            #expect(await requestCount(of: anew.target, origin) == 2)
        }
    }

    @Test func `an image with a requested format is cached in it, and reported as it is`() async throws {
        try await withOrigin { origin, url async throws in
            let first = try await load("/a.jpg", of: origin, "--width", "30", "--format", "png")
            let cold = try #require(try first.outcome.objects.first)
            let path = folder.path + "/small.png"
            let same = ["load", url(first.target), "--width", "30", "--format", "png", "--json"] + cache
            let warm = try await Tool.run(same + ["--only-from-cache", "--no-memory", "--output", path])
            for object in [cold, try #require(try warm.objects.first)] {
                #expect(object["width"] as? Int == 30 && object["height"] as? Int == 20)
                #expect(object["format"] as? String == "png")
                #expect(try object["bytes"] as? Int == bytes(path).count)
                #expect(object["frames"] as? Int == 1)
            }
            // The original and the variant.
            let list = try await Tool.run(["cache", "list", "--json"] + cache)
            #expect(try list.objects.count == 2)
            #expect(await requestCount(of: first.target, origin) == 1)
        }
    }

    @Test func `loading a file in another format needs one request, without disk too`() async throws {
        try await withOrigin { origin, _ async throws in
            let path = folder.path + "/a.png"
            let only = try await load("/a.jpg", of: origin, "--output", path, "--no-disk")
            let object = try #require(try only.outcome.objects.first)
            #expect(object["format"] as? String == "png")
            #expect(try object["bytes"] as? Int == bytes(path).count)
            #expect(ImageFormat(sniffing: try bytes(path)) == .png)
            #expect(await requestCount(of: only.target, origin) == 1)
        }
    }

    @Test func `a damaged original is neither written nor cached`() async throws {
        try await withOrigin { _, url async throws in
            let out = folder.path + "/out/"
            let outcome = try await Tool.run(["load", url("/half.jpg"), "--output", out, "--json"] + cache)
            #expect(outcome.status == 1)
            #expect(try (outcome.objects.first?["error"] as? String)?.hasPrefix("truncated: ") == true)
            #expect(!FileManager.default.fileExists(atPath: out))
            #expect(try await Tool.run(["cache", "list", "--json"] + cache).output == "")
        }
    }

    @Test func `a terminal shows progress, and the sources at the end`() async throws {
        try await withOrigin { _, url async throws in
            let arguments = ["load", url("/a.jpg"), url("/b.png"), url("/none.jpg"), "--repeat", "2"]
            let (status, text) = try await Terminal.run(arguments + cache)
            #expect(status == 1)
            #expect(text.contains("░ 0/6"))
            let line = try #require(text.split(whereSeparator: \.isNewline).last)
            #expect(line.contains("6 loads: 2 memory, 2 network, 2 failed; "))
            #expect(line.hasSuffix("B/s"))
            for options in [["--json"], []] {
                let outcome = try await Tool.run(["load", url("/a.jpg")] + cache + options)
                #expect(outcome.errors == "" && !outcome.output.contains("loads"))
            }
        }
    }

    @Test(.waiting) func `previews are numbered files, and share the load`() async throws {
        var requestCount = 0
        // On a busy machine a load may time out and be retried: repeated until one is not.
        for round in 1...5 where requestCount != 1 {
            let picture = try SlowPicture()
            try await withOrigin(["/slow.jpg": picture.response]) { origin, url async throws in
                try await checkPreviews(of: picture, at: url("/slow.jpg"), in: "\(folder.path)/\(round)")
                requestCount = await origin.activity.snapshot.requests.count
            }
        }
        #expect(requestCount == 1)
    }

    /// Loads an image with previews into a separate folder, while its origin sends it in chunks.
    private func checkPreviews(of picture: SlowPicture, at url: String, in place: String) async throws {
        let (previews, target) = (place + "/previews", place + "/whole.jpg")
        try FileManager.default.createDirectory(atPath: previews, withIntermediateDirectories: true)
        async let sent: Void = picture.send { try FolderWatch.waitForFile(in: previews) }
        let arguments = ["load", url, "--preview", previews, "--output", target]
        let outcome = try await Tool.run(arguments + ["--no-disk", "--json"] + cache)
        try await sent
        #expect(outcome.status == 0)
        // The number depends on the arrival of the bytes.
        let names = try FileManager.default.contentsOfDirectory(atPath: previews).sorted()
        #expect(!names.isEmpty)
        #expect(names == names.indices.map { "slow-\(String(1_001 + $0).dropFirst()).png" })
        for name in names {
            let image = try CodecRegistry.standard.decode(bytes(previews + "/" + name))
            #expect(image.format == .png && image.size == PixelSize(width: 120, height: 80))
        }
        #expect(try bytes(target) == picture.bytes)
    }

    @Test func `a cached image has no previews`() async throws {
        try await withOrigin { _, url async throws in
            let load = ["load", url("/a.jpg")] + cache
            #expect(try await Tool.run(load).status == 0)
            let previews = folder.path + "/previews"
            #expect(try await Tool.run(load + ["--preview", previews]).status == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: previews).isEmpty)
        }
    }

    @Test func `an unwritable preview folder is one error before loading`() async throws {
        try await withOrigin { origin, url async throws in
            let file = folder.path + "/file"
            try await OutputFile.write(Data(), to: file)
            let outcome = try await Tool.run(["load", url("/a.jpg"), "--preview", file] + cache)
            #expect(outcome.status == 1)
            let expected = "error: notWritable: cannot create the folder \(file): File exists"
            #expect(outcome.errorLines == [expected])
            #expect(await origin.activity.snapshot.requests.isEmpty)
        }
    }
}
