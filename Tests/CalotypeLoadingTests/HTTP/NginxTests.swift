import CalotypeCore
import CalotypeLoading
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@Suite(.waiting, .enabled(if: Nginx.isInstalled, "nginx is not installed"))
struct `Against nginx` {
    private func record(_ response: FetchResponse, _ request: FetchRequest) throws -> ResponseRecord {
        try #require(
            ResponseRecord(request: request, response: response, receivedAt: SystemTimeSource().now())
        )
    }

    @Test func `unchanged content is confirmed, and renewed by the fields of nginx`() async throws {
        try await withNginx { nginx, loader async throws in
            let name = Nginx.cached + "a.png"
            try nginx.write(sampleBytes(1_000), to: name)
            var request = FetchRequest(url: try nginx.url(name))
            let first = try await loader.response(for: request)
            #expect(try await first.collected() == sampleBytes(1_000))
            let kept = try record(first, request)
            #expect(kept.contentType == "image/png")
            #expect(kept.freshness(for: request, at: kept.receivedAt) == .usable)
            let later = kept.receivedAt + .seconds(62)
            #expect(kept.freshness(for: request, at: later) == .needsRevalidation(usableOnErrorUntil: nil))

            request.headers += kept.conditionalHeaders
            let second = try await loader.response(for: request)
            #expect(second.status == 304)
            let renewed = kept.renewed(
                by: second,
                to: request,
                receivedAt: kept.receivedAt + .milliseconds(1)
            )
            #expect(try #require(renewed).entityTag == kept.entityTag)

            try nginx.write(sampleBytes(1_001), to: name)
            let third = try await loader.response(for: request)
            #expect(third.status == 200)
            #expect(try await third.collected() == sampleBytes(1_001))
        }
    }

    @Test(arguments: [false, true])
    func `an interrupted body is continued, unless the file was replaced`(isReplaced: Bool) async throws {
        try await withNginx { nginx, loader async throws in
            try nginx.write(sampleBytes(300_000), to: "/a.jpg")
            let breaking = ScriptedDataLoader { request, index in
                var response = try await loader.response(for: request)
                guard index == 0 else { return response }
                let head = try await response.collected().prefix(100_000)
                if isReplaced { try nginx.write(sampleBytes(300_000), to: "/a.jpg", modifiedAt: Date()) }
                response.body = FetchBody([head], then: lost)
                return response
            }
            let retrying = RetryingLoader(breaking, policy: .prompt)
            let response = try await retrying.response(for: FetchRequest(url: nginx.url("/a.jpg")))
            #expect(response.expectedByteCount == 300_000)
            if isReplaced {
                #expect(await failure { try await response.collected() } == lost)
            } else {
                #expect(try await response.collected() == sampleBytes(300_000))
            }
            #expect(breaking.requests.count == 2)
            #expect(breaking.requests.last?["Range"] == "bytes=100000-")
        }
    }

    @Test func `a Unix socket replaces host and port`() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/nginx.sock"
        let server = try NginxServer(folder: folder.path, locations: "listen unix:\(path);")
        defer { #expect(throws: Never.self) { try server.stop() } }
        try sampleBytes(70_000).write(to: URL(filePath: folder.path + "/a.png"))
        let loader = HTTPDataLoader(.with { $0.unixSocketPath = path })
        // The name is never resolved.
        let url = try #require(URL(string: "http://pictures.invalid/a.png"))
        for _ in 0..<3 { #expect(try await loader.data(url) == sampleBytes(70_000)) }
        #expect(server.requests(3).allSatisfy { $0.hasPrefix("GET /a.png 200") })
        await loader.shutdown()

        let absent = HTTPDataLoader(.with { $0.unixSocketPath = folder.path + "/absent.sock" })
        #expect(await failure { try await absent.data(url) }?.code == .connectionFailed)
        await absent.shutdown()
    }
}
