import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.waiting) struct ServeEndToEndTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private func origin() async throws -> LoopbackOrigin {
        var picture = OriginResponse.body(try Pictures.jpeg(), type: "image/jpeg")
        picture.headers.append(OriginField("Cache-Control", "max-age=600"))
        return try await .start(routes: ["/a.jpg": picture])
    }

    @Test func `an image is rendered, then served from memory, and from disk after a restart`() async throws {
        let origin = try await origin()
        let path = "/unsafe/rs:fit:20:20/plain/\(origin.url("/a.jpg"))@png"
        var caches: [String?] = []
        var requestCount = 0
        for _ in 0..<2 {
            let status = try await RunningService.run("--cache-dir", folder.path, "--allow-private-sources") {
                service in
                for _ in 0..<2 {
                    let (answer, data) = try await service.get(path)
                    #expect(try CodecRegistry.standard.decode(data).size.width <= 20)
                    caches.append(answer.headers["X-Cache"])
                    guard caches.count == 1 else { continue }
                    // On a busy machine a load may time out and be retried.
                    requestCount = await origin.activity.snapshot.requests.count
                }
            }
            #expect(status == 0)
        }
        #expect(caches == ["miss", "memory", "disk", "memory"])
        #expect(await origin.activity.snapshot.requests.count == requestCount && requestCount >= 1)
        await origin.close()
    }

    @Test func `a valid trace of the client is forwarded to the origin, and an invalid one is not`()
        async throws
    {
        let origin = try await origin()
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        try await RunningService.run("--cache-dir=none", "--memory=0", "--allow-private-sources") {
            service async throws in
            // Each requests a different image: the work for one may still be shared after its response.
            let path = "/unsafe/w:9/plain/\(origin.url("/a.jpg"))%3F"
            let wrong = "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"
            for (number, field) in [parent, wrong].enumerated() {
                let fields = [HeaderField("traceparent", field), HeaderField("tracestate", "a=1")]
                #expect(try await service.get("\(path)\(number)", fields).answer.status == 200)
            }
            #expect(try await service.get("\(path)none").answer.status == 200)
        }
        let told = await origin.activity.snapshot.requests.map { request in
            [request.target, request[header: "traceparent"], request[header: "tracestate"]]
        }
        // A set, since a load may time out on a busy machine and be retried.
        let expected: Set<[String?]> = [
            ["/a.jpg?0", parent, "a=1"], ["/a.jpg?1", nil, nil], ["/a.jpg?none", nil, nil],
        ]
        #expect(Set(told) == expected)
        await origin.close()
    }

    @Test func `a private address is refused by default`() async throws {
        let origin = try await origin()
        let status = try await RunningService.run("--cache-dir=none") { service in
            let (answer, _) = try await service.get("/unsafe/plain/\(origin.url("/a.jpg"))")
            #expect(answer.status == 403)
        }
        #expect(status == 0)
        #expect(await origin.activity.snapshot.requests.isEmpty)
        await origin.close()
    }

    @Test func `a purge reports its counts, and requires the token`() async throws {
        let origin = try await origin()
        let token = ["CALOTYPE_ADMIN_TOKEN": "hush"]
        _ = try await RunningService.run(
            "--cache-dir",
            folder.path,
            "--allow-private-sources",
            environment: token
        ) { service in
            let path = "/unsafe/w:9/plain/\(origin.url("/a.jpg"))"
            _ = try await service.get(path)
            let admin = service.admin.dropFirst("http://".count)
            let refused = try await Tool.run("purge", "--admin", "\(admin)", "--all")
            #expect(refused.status == 1 && refused.errors.contains("401"))
            let line = "calotype purge --admin \(admin) --source \(origin.url("/a.jpg")) --json"
            let purged = try await Tool.shell("export CALOTYPE_ADMIN_TOKEN=hush; \(line)", in: folder)
            #expect(purged.status == 0, "\(purged.errors)")
            #expect(try purged.objects.first?["originals"] as? Int == 1)
            #expect(try await service.get(path).answer.headers["X-Cache"] == "miss")
        }
        await origin.close()
    }

    @Test func `all mistakes are reported at once, and the service does not start`() async throws {
        let outcome = try await Tool.run("serve", "--listen", "0.0.0.0:0", "--quality", "0", "--qeue", "1")
        #expect(outcome.status == 2 && outcome.output == "")
        #expect(outcome.errorLines.count == 3, "\(outcome.errors)")
        #expect(outcome.errorLines.allSatisfy { $0.hasPrefix("error: ") })
    }

    @Test func `an address in use is an error`() async throws {
        let origin = try await origin()
        let port = try #require(origin.url("/").port)
        let outcome = try await Tool.run("serve", "--listen", "127.0.0.1:\(port)", "--cache-dir=none")
        #expect(
            outcome.status == 1 && outcome.errors.contains("notServing: cannot listen on 127.0.0.1:\(port)")
        )
        await origin.close()
    }

    @Test func `a signed URL passes the service's check`() async throws {
        let path = "/rs:fit:300:300/plain/http://src.test/photo.jpg@png"
        let keys = "export CALOTYPE_KEY=736563726574 CALOTYPE_SALT=68656C6C6F"
        let signed = try await Tool.shell("\(keys); calotype sign '\(path)'", in: folder)
        #expect(signed.status == 0 && signed.output.hasSuffix(path + "\n"))
        let target = signed.output.dropLast()
        let checked = try await Tool.shell("\(keys); calotype serve --check '\(target)'", in: folder)
        #expect(checked.status == 0 && checked.output.contains("right"))
        let wrong = try await Tool.shell("\(keys); calotype serve --check '/x\(path)'", in: folder)
        #expect(wrong.status == 1)
        #expect(try await Tool.run("sign", path).status == 2)
    }
}
