import Calotype
import CalotypeServer
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

/// Addresses that a service's loader connects to.
///
/// Only this machine is ever connected to: a refused address is refused before the connection.
@Suite(.blocking) struct HostileSourceAddressTests {
    private static let hosts = [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0", "0", "localhost",
        "localhost.", "LOCALHOST", "[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]",
        "[::127.0.0.1]",
        "169.254.169.254", "100.64.0.1", "10.0.0.1", "172.16.0.1", "192.168.0.1", "198.18.0.1", "224.0.0.1",
        "255.255.255.255", "[fe80::1]", "[fc00::1]", "[fec0::1]", "[ff02::1]", "[64:ff9b::7f00:1]",
        "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2001:0:53aa:64c:0:7a0f:0:1]", "[2a00:1450::5efe:10.0.0.1]",
    ]

    @Test(arguments: hosts)
    func `a non-public address is refused at the connection, and not revealed`(
        host: String
    ) async throws {
        let configuration = ImageService.Configuration.patient
        let service = WebBench.service(try ImageService.loader(for: configuration), configuration)
        for target in ["/unsafe/plain/http://\(host):1/a", "/thumbor/unsafe/9x9/\(host):1/a"] {
            let answer = try await service.response(to: ServiceRequest(target: target))
            #expect(answer.status == 403)
            #expect(
                String(decoding: answer.body, as: UTF8.self) == "Source not allowed (addressRefused)\n"
            )
        }
        try await service.pipeline.shutdown()
    }

    // Some resolvers find no name with a trailing dot, so no address can be refused.
    @Test(arguments: hosts.filter { $0.last != "." })
    func `a redirect to a non-public address is refused like a URL of it`(host: String) async throws {
        let origin = try await LoopbackOrigin.start(host: "127.0.0.2") { _ in
            .redirect(to: "http://\(host):1/a")
        }
        var http = HTTPDataLoader.Configuration.patient
        // The first request must be permitted.
        http.addressPolicy = .publicOnly(allowing: ["127.0.0.2/32"])
        let configuration = ImageService.Configuration.patient
        let loader = try ImageService.loader(for: configuration, http: http, retry: .none)
        let service = WebBench.service(loader, configuration)
        let answer = try await service.response(
            to: ServiceRequest(target: "/unsafe/plain/\(origin.url("/b"))")
        )
        #expect(answer.status == 403)
        #expect(
            String(decoding: answer.body, as: UTF8.self) == "Source not allowed (addressRefused)\n"
        )
        #expect(await origin.activity.snapshot.requests.count == 1)
        try await service.pipeline.shutdown()
        await origin.close()
    }

    @Test(arguments: ["[fe80::1%25eth0]", "[::1%25lo]", "[fe80::1%eth0]", "[::1", "127.0.0.1%00"])
    func `a host with a zone, or an invalid one, is refused`(host: String) async throws {
        let service = try ServiceBench().service()
        let encoded = host.replacing("%", with: "%25")
        for text in [host, encoded] {
            let target = "/unsafe/plain/http://\(text)/a"
            let answer = try await service.response(to: ServiceRequest(target: target))
            #expect(answer.status == 404, "\(text)")
        }
    }

    @Test(arguments: [
        "http://127.0.0.1:1/", "http://allowed.test.evil.test/", "file:///etc/passwd", "ftp://127.0.0.1/",
        "gopher://127.0.0.1:70/", "//127.0.0.1:1/", "data:image/png;base64,AAAA", "local:///etc/passwd",
        "http://user@127.0.0.1:1/", "/loop", "/outside", "http://[::1/", "",
    ])
    func `a redirect is allowed only where the first URL is`(location: String) async throws {
        let picture = try WebBench.picture()
        try await WebBench.with({ configuration, origin in
            configuration.sources = try SourcePolicy(["\(origin.url("/").absoluteString)inside", "src.test"])
        }) { request in
            switch request.path {
            case "/inside/picture", "/outside": .body(picture, type: "image/jpeg")
            case "/inside/good": .redirect(to: "/inside/picture")
            case "/inside/evil": .redirect(to: location)
            default: .redirect(to: "/inside/loop")
            }
        } _: { bench in
            let answer = try await bench.ask("/inside/evil")
            #expect([403, 422, 502].contains(answer.status), "\(answer.status)")
            #expect(!String(decoding: answer.body, as: UTF8.self).contains("127.0.0.1"))
            #expect(try await bench.ask("/inside/loop").status >= 400)
            #expect(try await bench.ask("/inside/good").status == 200)
            let paths = await bench.origin.activity.snapshot.requests.map(\.path)
            #expect(paths.allSatisfy { $0.hasPrefix("/inside/") })
        }
    }
}
