import CalotypeLoading
import CalotypeTesting
import CalotypeTransfer
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// The main code paths against third-party servers.
@Suite(.waiting, .serialized)
struct `Servers of others` {
    private static let bytes = sampleBytes(200_000)

    @Test(.enabled(if: NginxServer.isInstalled, "nginx is not installed: Scripts/setup installs it"))
    func `nginx: loads, misses, redirects, parts and validators`() async throws {
        let folder = try Self.folder()
        let server = try NginxServer(
            folder: folder.path,
            locations: """
                location = /moved { return 301 /a.png; }
                location = /away { return 302 file:///etc/passwd; }
                location = /loop { return 302 /loop; }
                location = /zipped.html { gzip on; gzip_min_length 1; }
                location = /broken { return 503; }
                """
        )
        let loader = HTTPDataLoader(.with { $0.acceptedContentTypes = ["image/*"] })
        func url(_ path: String) -> URL { server.base.appending(path: path) }

        let first = try await loader.response(for: FetchRequest(url: url("a.png")))
        #expect(first.headers.contains(HeaderField("Content-Type", "image/png")))
        #expect(first.expectedByteCount == Self.bytes.count)
        #expect(try await first.collected() == Self.bytes)
        let moved = try await loader.response(for: FetchRequest(url: url("moved")))
        #expect(moved.url == url("a.png"))
        #expect(try await moved.collected() == Self.bytes)
        #expect(await failure { try await loader.data(url("none.png")) }?.status == 404)
        #expect(await failure { try await loader.data(url("broken")) }?.status == 503)
        #expect(await failure { try await loader.data(url("away")) }?.code == .redirectRefused)
        #expect(await failure { try await loader.data(url("loop")) }?.code == .redirectRefused)
        #expect(await failure { try await loader.data(url("page.html")) }?.code == .unacceptableContentType)

        let part = FetchRequest(url: url("a.png"), headers: [HeaderField("Range", "bytes=1000-1999")])
        let answer = try await loader.response(for: part)
        #expect(answer.status == 206)
        #expect(try await answer.collected() == Self.bytes[1000..<2000])

        let tag = try #require(first.headers.first { $0.name.lowercased() == "etag" }?.value)
        let again = FetchRequest(url: url("a.png"), headers: [HeaderField("If-None-Match", tag)])
        let unchanged = try await loader.response(for: again)
        #expect(unchanged.status == 304)
        #expect(try await unchanged.collected().isEmpty)

        // The last number of each log line is the connection number.
        let requests = server.requests(13)
        let connections = Set(requests.compactMap { $0.split(separator: " ").last })
        #expect(connections.count == 1, "\(requests)")
        await loader.shutdown()
        try server.stop()
    }

    @Test(.enabled(if: NginxServer.isInstalled, "nginx is not installed: Scripts/setup installs it"))
    func `nginx: HTTP/2 over TLS, under the address policy too`() async throws {
        let folder = try Self.folder()
        let made = try TestCertificate(for: "DNS:pictures.test")
        let server = try NginxServer(folder: folder.path, certificate: made.files)
        let port = try #require(server.base.port)
        let url = try #require(URL(string: "https://pictures.test:\(port)/a.png"))
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.resolve = { _ in [.v4(0x5DB8_D70E)] }
        surroundings.connectionHosts = ["pictures.test": "127.0.0.1"]
        let roots = try HTTPDataLoader.TrustRoots(pem: made.certificate)
        for policy in [AddressPolicy.any, .publicOnly] {
            let configuration = HTTPDataLoader.Configuration.with {
                $0.addressPolicy = policy
                $0.additionalTrustRoots = [roots]
            }
            let loader = HTTPDataLoader(configuration, surroundings)
            if policy == .any {
                let loads = (1...20).map { _ in Task { try await loader.data(url) } }
                for load in loads { #expect(try await load.value == Self.bytes) }
                let missing = url.deletingLastPathComponent().appending(path: "none")
                #expect(await failure { try await loader.data(missing) }?.status == 404)
            } else {
                #expect(await failure { try await loader.data(url) }?.code == .addressRefused)
            }
            await loader.shutdown()
        }
        #expect(server.requests(21).count == 21)
        try server.stop()
    }

    @Test(.enabled(if: PythonServer.isInstalled, "python3 is not installed: Scripts/setup installs it"))
    func `Python's server: loads, misses and validators`() async throws {
        let folder = try Self.folder()
        let server = try PythonServer(folder: folder.path)
        let loader = HTTPDataLoader(.patient)
        let url = server.base.appending(path: "a.png")
        let first = try await loader.response(for: FetchRequest(url: url))
        #expect(try await first.collected() == Self.bytes)
        #expect(try await loader.data(url) == Self.bytes)
        #expect(await failure { try await loader.data(server.base.appending(path: "none")) }?.status == 404)
        let date = try #require(first.headers.first { $0.name.lowercased() == "last-modified" }?.value)
        let again = FetchRequest(url: url, headers: [HeaderField("If-Modified-Since", date)])
        #expect(try await loader.response(for: again).status == 304)
        // It does not support ranges and sends the whole file.
        let part = FetchRequest(url: url, headers: [HeaderField("Range", "bytes=1000-")])
        #expect(try await loader.response(for: part).status == 200)
        await loader.shutdown()
        server.stop()
    }

    private static func folder() throws -> ScratchFolder {
        let folder = try ScratchFolder()
        try bytes.write(to: URL(filePath: folder.path + "/a.png"))
        try Data("<html></html>".utf8).write(to: URL(filePath: folder.path + "/page.html"))
        try Data("<html></html>".utf8).write(to: URL(filePath: folder.path + "/zipped.html"))
        return folder
    }
}
