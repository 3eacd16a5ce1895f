import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestServers

/// A loopback origin behind an nginx, which speaks TLS for it.
struct TLSOrigin {
    /// Answers what nginx passes on.
    let origin: LoopbackOrigin
    private let server: NginxServer
    private let folder: ScratchFolder

    /// Starts both.
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

    /// How many connections nginx has answered so many requests on; blocks until they stand in its log.
    func connectionCount(ofRequests count: Int) -> Int {
        Set(server.requests(count).compactMap { $0.split(separator: " ").last }).count
    }

    /// The URL of a path, which begins with a slash.
    func url(_ path: String, host: String = "127.0.0.1") -> URL {
        guard let url = URL(string: "https://\(host):\(port)\(path)") else {
            preconditionFailure("not a path: \(path)")
        }
        return url
    }

    /// Ends nginx; blocks until it has ended.
    func stop() {
        do {
            try server.stop()
        } catch {
            // What stays in the temporary folder harms nobody.
        }
    }
}

/// Runs a test against an origin of TLS; closes it and the loader, however the test ends.
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
