package import FoundationEssentials
import NIOCore

/// A small HTTP/1.1 server on an address of this machine alone, for tests and for `calotype demo`.
///
/// It answers as it is told, mistakes included, and keeps count of requests and connections. Call ``close()``
/// when it is no longer needed.
package final class LoopbackOrigin: Sendable {
    /// Decides what to do with a request.
    package typealias Handler = @Sendable (OriginRequest) async -> OriginResponse

    /// Where an origin listens and how it is spoken to.
    package struct Place: Sendable {
        /// The address, `127.0.0.1` or `::1`.
        package var host = "127.0.0.1"
        /// The certificate and the key for TLS; `nil` for plain HTTP.
        package var identity: OriginIdentity?

        package init(host: String = "127.0.0.1", identity: OriginIdentity? = nil) {
            self.host = host
            self.identity = identity
        }
    }

    /// What has been seen.
    package let activity: OriginActivity
    /// The port, chosen by the system.
    package let port: Int

    private let place: Place
    private let server: OriginServer

    private init(_ place: Place, activity: OriginActivity, port: Int, server: OriginServer) {
        self.place = place
        self.activity = activity
        self.port = port
        self.server = server
    }

    /// Starts an origin whose answers come from a closure.
    ///
    /// - Throws: The system's error where no socket can be had, or the certificate's.
    package static func start(at place: Place = Place(), _ handler: @escaping Handler) async throws
        -> LoopbackOrigin
    {
        let activity = OriginActivity()
        let server = try await OriginServer.start(place, activity, handler)
        guard let port = server.channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return LoopbackOrigin(place, activity: activity, port: port, server: server)
    }

    /// Starts an origin with an answer for each path; others get a 404.
    ///
    /// A path may hold a query; it is then looked up with it first.
    ///
    /// - Throws: The system's error where no socket can be had.
    package static func start(
        routes: [String: OriginResponse],
        at place: Place = Place()
    ) async throws -> LoopbackOrigin {
        try await start(at: place) { request in
            routes[request.target] ?? routes[request.path] ?? .status(404)
        }
    }

    /// Starts an origin that serves the files of a folder; what is not below it gets a 404.
    ///
    /// - Throws: The system's error where no socket can be had.
    package static func start(folder path: String) async throws -> LoopbackOrigin {
        let folder = OriginFolder(path)
        return try await start { await folder.response(to: $0) }
    }

    /// The URL of a path, which begins with a slash.
    ///
    /// - Precondition: `path` is percent-encoded where it needs to be.
    package func url(_ path: String) -> URL {
        let scheme = place.identity == nil ? "http" : "https"
        let host = place.host.contains(":") ? "[\(place.host)]" : place.host
        guard let url = URL(string: "\(scheme)://\(host):\(port)\(path)") else {
            preconditionFailure("not a path: \(path)")
        }
        return url
    }

    /// Closes the socket and all connections, and returns when nothing runs any more.
    package func close() async {
        await server.close()
    }
}
