package import FoundationEssentials
import NIOCore

/// A small HTTP/1.1 server on an address of this machine alone, for tests and for `calotype demo`.
///
/// It answers as it is told, mistakes included, and keeps count of requests and connections. Call ``close()``
/// when it is no longer needed.
package final class LoopbackOrigin: Sendable {
    /// Decides what to do with a request.
    package typealias Handler = @Sendable (OriginRequest) async -> OriginResponse

    /// What has been seen.
    package let activity: OriginActivity
    /// The port, chosen by the system.
    package let port: Int

    private let host: String
    private let server: OriginServer

    private init(_ host: String, activity: OriginActivity, port: Int, server: OriginServer) {
        self.host = host
        self.activity = activity
        self.port = port
        self.server = server
    }

    /// Starts an origin whose answers come from a closure.
    ///
    /// - Parameters:
    ///   - host: The address it listens on, `127.0.0.1` or `::1`.
    ///   - handler: Is asked for each answer.
    /// - Returns: The origin, which listens.
    /// - Throws: The system's error where no socket can be had.
    package static func start(
        host: String = "127.0.0.1",
        _ handler: @escaping Handler
    ) async throws -> LoopbackOrigin {
        let activity = OriginActivity()
        let server = try await OriginServer.start(host, activity, handler)
        guard let port = server.channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return LoopbackOrigin(host, activity: activity, port: port, server: server)
    }

    /// Starts an origin with an answer for each path; others get a 404.
    ///
    /// A path may hold a query; it is then looked up with it first.
    ///
    /// - Throws: The system's error where no socket can be had.
    package static func start(
        routes: [String: OriginResponse],
        host: String = "127.0.0.1"
    ) async throws -> LoopbackOrigin {
        try await start(host: host) { request in
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
        let host = host.contains(":") ? "[\(host)]" : host
        guard let url = URL(string: "http://\(host):\(port)\(path)") else {
            preconditionFailure("not a path: \(path)")
        }
        return url
    }

    /// Closes the socket and all connections, and returns when nothing runs any more.
    package func close() async {
        await server.close()
    }
}
