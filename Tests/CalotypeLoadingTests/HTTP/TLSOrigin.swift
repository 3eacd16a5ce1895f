import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport

/// A loopback origin behind an nginx that terminates TLS.
struct TLSOrigin {
    let origin: LoopbackOrigin
    private let server: NginxServer
    private let folder: ScratchFolder

    init(_ made: TestCertificate, _ routes: [String: OriginResponse], speaksHTTP2: Bool) async throws {
        origin = try await LoopbackOrigin.start(routes: routes)
        folder = try ScratchFolder()
        server = try NginxServer(
            folder: folder.path,
            certificate: made.files,
            speaksHTTP2: speaksHTTP2,
            locations: """
                location / {
                    proxy_pass http://127.0.0.1:\(origin.port);
                    proxy_http_version 1.1;
                    proxy_set_header Connection "";
                    proxy_buffering off;
                    proxy_read_timeout 600;
                }
                """
        )
    }

    var port: Int { server.base.port ?? 0 }

    /// The number of connections for so many requests; blocks until nginx has logged them.
    func connectionCount(ofRequests count: Int) -> Int {
        Set(server.requests(count).compactMap { $0.split(separator: " ").last }).count
    }

    func url(_ path: String, host: String = "127.0.0.1") -> URL {
        guard let url = URL(string: "https://\(host):\(port)\(path)") else {
            preconditionFailure("not a path: \(path)")
        }
        return url
    }

    /// Stops nginx; blocks until it has exited.
    func stop() {
        do {
            try server.stop()
        } catch {
            // Leftovers in the temporary folder are harmless.
        }
    }
}

/// Runs a test against a TLS origin; closes origin and loader in every case.
func withTLSOrigin(
    _ made: TestCertificate,
    trusting trusted: TestCertificate?,
    _ routes: [String: OriginResponse] = ["/a": .body(sampleBytes(300_000))],
    speaksHTTP2: Bool = true,
    as configuration: HTTPDataLoader.Configuration = .patient,
    in surroundings: HTTPDataLoader.Surroundings = .init(),
    _ body: (TLSOrigin, HTTPDataLoader) async throws -> Void
) async throws {
    let origin = try await TLSOrigin(made, routes, speaksHTTP2: speaksHTTP2)
    var configuration = configuration
    if let trusted {
        configuration.additionalTrustRoots = [try HTTPDataLoader.TrustRoots(pem: trusted.certificate)]
    }
    let loader = HTTPDataLoader(configuration, surroundings)
    try await closing(origin.origin, loader) {
        defer { origin.stop() }
        try await body(origin, loader)
    }
}
