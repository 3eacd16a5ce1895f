import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import Glibc
import LoopbackOrigin
import TestSupport
import Testing

@Suite(.gated)
struct `The loopback origin` {
    @Test func `a folder is served without anything outside of it`() async throws {
        let folder = try ScratchFolder()
        let root = folder.path + "/served"
        try FileManager.default.createDirectory(atPath: root + "/sub", withIntermediateDirectories: true)
        try sampleBytes(10).write(to: URL(filePath: root + "/sub/a b.PNG"))
        try sampleBytes(20).write(to: URL(filePath: folder.path + "/secret"))
        try #require(symlink(folder.path + "/secret", root + "/link") == 0)
        let origin = try await LoopbackOrigin.start(folder: root)
        let loader = HTTPDataLoader(.patient)

        let response = try await loader.response(for: FetchRequest(url: origin.url("/sub/a%20b.PNG?x=y")))
        #expect(response.headers.contains(HeaderField("Content-Type", "image/png")))
        #expect(try await response.collected() == sampleBytes(10))
        let outside = [
            "/", "/sub", "/none", "/link", "/%2e%2e/secret", "/sub/..%2F..%2Fsecret", "/a%00b",
        ]
        for path in outside {
            #expect(await failure { try await loader.data(origin.url(path)) }?.status == 404, "\(path)")
        }
        await loader.shutdown()
        await origin.close()
    }

    @Test func `closing ends responses that wait at a gate`() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin.start(routes: ["/": OriginResponse().held(by: gate)])
        let loader = HTTPDataLoader(.patient)
        let load = Task { try await loader.data(origin.url("/")) }
        await gate.arrived()
        await origin.close()
        #expect(await failure { try await load.value }?.code == .connectionLost)
        #expect(await origin.activity.snapshot.openCount == 0)
        await loader.shutdown()
    }
}
