import CalotypeCore
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct NetworkEndToEndTests {
    private let folder: ScratchFolder
    private var cache: [String] { ["--cache-dir", folder.path + "/cache"] }
    /// A URL that only a proxy can reach.
    private let hidden = "http://pictures.invalid/a.jpg"

    init() throws {
        folder = try ScratchFolder()
    }

    /// Runs `body` with an origin that is also a proxy for ``hidden``.
    private func withOrigin(_ body: (LoopbackOrigin) async throws -> Void) async throws {
        let picture = OriginResponse.body(try Pictures.jpeg())
        let origin = try await LoopbackOrigin.start(routes: ["/a.jpg": picture, hidden: picture])
        let result = await Result { () async throws -> Void in try await body(origin) }
        await origin.close()
        try result.get()
    }

    @Test func `requests are sent to the proxy instead of the host`() async throws {
        try await withOrigin { origin async throws in
            let proxy = ["--proxy", "127.0.0.1:\(origin.port)"]
            #expect(try await Tool.run(["load", hidden] + proxy + cache).status == 0)
            let targets = await origin.activity.snapshot.requests.map(\.target)
            // A set, since a load may time out on a busy machine and be retried.
            #expect(Set(targets) == [hidden])
        }
    }

    @Test func `an explicit proxy is used despite exceptions in the environment`() async throws {
        try await withOrigin { origin async throws in
            let load = "calotype load --no-disk --proxy 127.0.0.1:\(origin.port) \(hidden)"
            let outcome = try await Tool.shell("export no_proxy='*' NO_PROXY='*'; \(load)", in: folder)
            #expect(outcome.status == 0)
        }
    }

    @Test func `the environment sets a proxy and exceptions, unless the proxy is none`() async throws {
        try await withOrigin { origin async throws in
            let settings = "export http_proxy=http://127.0.0.1:\(origin.port) no_proxy=127.0.0.1"
            let load = "calotype load --no-disk"
            let through = try await Tool.shell("\(settings); \(load) \(hidden)", in: folder)
            #expect(through.status == 0)
            let alone = "\(settings); \(load) --retry 0 \(hidden) --proxy none"
            let straight = try await Tool.shell(alone, in: folder)
            #expect(straight.status == 1 && straight.errors.contains("hostNotFound"))
            let excepted = "\(settings); \(load) \(origin.url("/a.jpg").absoluteString)"
            #expect(try await Tool.shell(excepted, in: folder).status == 0)
            let targets = await origin.activity.snapshot.requests.map(\.target)
            #expect(Set(targets) == [hidden, "/a.jpg"])
        }
    }

    @Test func `an invalid proxy is a usage error`() async throws {
        let outcome = try await Tool.run(["load", hidden, "--proxy", "ftp://a"] + cache)
        #expect(outcome.status == 2 && outcome.errors.contains("--proxy"))
    }

    @Test func `the requested user agent is sent`() async throws {
        try await withOrigin { origin async throws in
            let url = origin.url("/a.jpg").absoluteString
            #expect(try await Tool.run(["load", url, "-A", "gallery/2"] + cache).status == 0)
            let sent = await origin.activity.snapshot.requests.first?[header: "user-agent"]
            #expect(sent == "gallery/2")
        }
        let broken = try await Tool.run(["load", "http://a/", "-A", "a\nb"] + cache)
        #expect(broken.status == 2 && broken.errors.contains("--user-agent"))
    }

    @Test func `unreadable certificates are an error that names their file`() async throws {
        let outcome = try await Tool.run(
            ["load", "http://a/", "--cacert", folder.path + "/none.pem"] + cache
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains(folder.path + "/none.pem"))
    }

    @Test func `a load that exceeds its timeout fails and says so`() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin.start { _ in OriginResponse(gate: gate) }
        let url = origin.url("/a.jpg").absoluteString
        let outcome = try await Tool.run(["load", url, "--timeout", "0.2", "--retry", "0"] + cache)
        #expect(outcome.status == 1 && outcome.errors.contains("timedOut"))
        await gate.open()
        await origin.close()
    }

    @Test func `show sends header fields too`() async throws {
        try await withOrigin { origin async throws in
            let url = origin.url("/a.jpg").absoluteString
            #expect(try await Tool.run(["show", url, "-H", "X-A: b", "--width", "4"] + cache).status == 0)
            #expect(await origin.activity.snapshot.requests.first?[header: "x-a"] == "b")
        }
    }
}
