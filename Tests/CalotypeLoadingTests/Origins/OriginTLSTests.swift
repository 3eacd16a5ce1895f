import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeLoading

/// Certificates by origin, over real handshakes.
@Suite(
    .waiting,
    .enabled(if: NginxServer.isInstalled, "nginx is not installed: Scripts/setup installs it")
)
struct `Certificates of origins` {
    private func credentials(
        trusting trusted: TestCertificate? = nil,
        as client: TestCertificate? = nil
    ) throws -> OriginCredentials {
        var credentials = try OriginCredentials()
        if let trusted { credentials.trustRoots = try HTTPDataLoader.TrustRoots(pem: trusted.certificate) }
        if let client {
            credentials.clientCertificate = try HTTPDataLoader.ClientCertificate(
                pem: client.certificate,
                key: try Data(contentsOf: URL(filePath: client.files.key))
            )
        }
        return credentials
    }

    private func pattern(_ url: URL) throws -> OriginPattern {
        try OriginPattern("https://\(url.host() ?? ""):\(url.port ?? 443)")
    }

    @Test func `trust roots of an origin are trusted there only, and nothing else is`() async throws {
        let (made, other) = (try TestCertificate(), try TestCertificate())
        let origins = try OriginTable()
        let configuration = HTTPDataLoader.Configuration.with { $0.origins = origins }
        try await withTLSOrigin(made, trusting: nil, as: configuration) { origin, loader async throws in
            let url = origin.url("/a")
            #expect(await failure { try await loader.data(url) }?.code == .insecureConnection)
            try origins.replace(with: [pattern(url): credentials(trusting: made)])
            #expect(try await loader.data(url) == sampleBytes(300_000))
            let name = origin.url("/a", host: "localhost")
            #expect(await failure { try await loader.data(name) }?.code == .insecureConnection)
            // A connection that was made with other roots is not used again.
            try origins.replace(with: [pattern(url): credentials(trusting: other)])
            #expect(await failure { try await loader.data(url) }?.code == .insecureConnection)
        }
        try await withTLSOrigin(made, trusting: made, as: configuration) { origin, loader async throws in
            let url = origin.url("/a")
            #expect(try await loader.data(url) == sampleBytes(300_000))
            // The roots of an origin replace the loader's.
            try origins.replace(with: [pattern(url): credentials(trusting: other)])
            #expect(await failure { try await loader.data(url) }?.code == .insecureConnection)
            try origins.replace(with: [:])
            #expect(try await loader.data(url) == sampleBytes(300_000))
        }
    }

    /// An nginx that requires a client certificate, and responds with its serial number.
    private func server(
        _ certificate: TestCertificate,
        for clients: [TestCertificate],
        in folder: ScratchFolder,
        speaksHTTP2: Bool
    ) throws -> NginxServer {
        let authorities = URL(filePath: folder.path + "/clients.pem")
        try clients.map(\.certificate).reduce(Data(), +).write(to: authorities)
        return try NginxServer(
            folder: folder.path,
            certificate: certificate.files,
            speaksHTTP2: speaksHTTP2,
            locations: """
                ssl_client_certificate \(authorities.path);
                ssl_verify_client on;
                location / { default_type text/plain; return 200 $ssl_client_serial; }
                """
        )
    }

    @Test(arguments: [true, false])
    func `a client certificate identifies the loader, and its connections serve no other one`(
        speaksHTTP2: Bool
    ) async throws {
        let made = try TestCertificate()
        let clients = [try TestCertificate(), try TestCertificate()]
        let stranger = try TestCertificate()
        let folder = try ScratchFolder()
        let server = try server(made, for: clients, in: folder, speaksHTTP2: speaksHTTP2)
        let origins = try OriginTable()
        let loader = HTTPDataLoader(.with { $0.origins = origins })
        func serial(_ client: TestCertificate?) async throws -> String {
            try origins.replace(with: [pattern(server.base): credentials(trusting: made, as: client)])
            return String(decoding: try await loader.data(server.base), as: UTF8.self)
        }
        let (first, again) = (try await serial(clients[0]), try await serial(clients[0]))
        let second = try await serial(clients[1])
        #expect(!first.isEmpty && first == again && !second.isEmpty && second != first)
        for client in [nil, stranger] {
            let error = await failure { try await serial(client) }
            #expect(error?.status == 400 || error?.code == .insecureConnection, "\(error?.detail ?? "")")
        }
        #expect(try await serial(clients[0]) == first)
        await loader.shutdown()
        try server.stop()
    }

    @Test func `the identity depends on the client certificate, not on its key or on trust roots`() throws {
        let client = try TestCertificate()
        let url = try #require(URL(string: "https://a.test/"))
        func identity(_ credentials: OriginCredentials) throws -> String {
            try OriginTable([pattern(url): credentials]).cacheIdentity(for: url)
        }
        let identified = try identity(credentials(as: client))
        let other = try identity(credentials(as: try TestCertificate()))
        #expect(!identified.isEmpty && identified != other)
        #expect(try identity(credentials(trusting: client, as: client)) == identified)
        #expect(try identity(credentials(trusting: client)).isEmpty)
    }
}
