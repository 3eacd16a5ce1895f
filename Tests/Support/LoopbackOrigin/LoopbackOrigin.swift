package import FoundationEssentials
import NIOCore

/// A small HTTP/1.1 server on a loopback address, for tests and for the demo.
///
/// It sends the configured responses, including malformed ones, and counts requests and connections. Call
/// ``close()`` when it is no longer needed.
package final class LoopbackOrigin: Sendable {
    package typealias Handler = @Sendable (OriginRequest) async -> OriginResponse

    /// The requests and connections seen so far.
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

    /// Starts an origin whose responses come from a closure.
    ///
    /// - Parameters:
    ///   - host: The address to listen on, `127.0.0.1` or `::1`.
    ///   - handler: Returns the response to each request.
    /// - Returns: The origin, which is listening.
    /// - Throws: The system's error if no socket can be opened.
    package static func start(
        host: String = "127.0.0.1",
        _ handler: @escaping Handler
    ) async throws -> LoopbackOrigin {
        let activity = OriginActivity()
        let server = try await OriginServer.start(host, activity, handler)
        guard let port = server.channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return LoopbackOrigin(host, activity: activity, port: port, server: server)
    }

    /// Starts an origin with a response for each path; other paths get a 404.
    ///
    /// A path may include a query; the request is first looked up with its query.
    ///
    /// - Throws: The system's error if no socket can be opened.
    package static func start(
        routes: [String: OriginResponse],
        host: String = "127.0.0.1"
    ) async throws -> LoopbackOrigin {
        try await start(host: host) { request in
            routes[request.target] ?? routes[request.path] ?? .status(404)
        }
    }

    /// Starts an origin that serves the files of a folder; other paths get a 404.
    ///
    /// - Throws: The system's error if no socket can be opened.
    package static func start(folder path: String) async throws -> LoopbackOrigin {
        let folder = OriginFolder(path)
        return try await start { await folder.response(to: $0) }
    }

    /// Returns the URL of a path, which begins with a slash.
    ///
    /// - Precondition: `path` is percent-encoded where necessary.
    package func url(_ path: String) -> URL {
        let host = host.contains(":") ? "[\(host)]" : host
        guard let url = URL(string: "http://\(host):\(port)\(path)") else {
            preconditionFailure("not a path: \(path)")
        }
        return url
    }

    /// Closes the socket and all connections, and returns when all tasks have ended.
    package func close() async {
        await server.close()
    }
}
