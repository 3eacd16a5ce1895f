package import FoundationEssentials
import NIOCore

/// A small HTTP/1.1 server on 127.0.0.1, for tests and for `calotype demo`.
///
/// It answers as it is told, mistakes included, and keeps count of requests and connections. Call ``close()``
/// when it is no longer needed.
package final class LoopbackOrigin: Sendable {
    /// Decides what to do with a request.
    package typealias Handler = @Sendable (OriginRequest) async -> OriginResponse

    /// What has been seen.
    package let activity: OriginActivity
    /// The port on 127.0.0.1, chosen by the system.
    package let port: Int

    private let server: OriginServer

    private init(activity: OriginActivity, port: Int, server: OriginServer) {
        self.activity = activity
        self.port = port
        self.server = server
    }

    /// Starts an origin whose answers come from a closure.
    ///
    /// - Throws: The system's error where no socket can be had.
    package static func start(_ handler: @escaping Handler) async throws -> LoopbackOrigin {
        let activity = OriginActivity()
        let server = try await OriginServer.start(activity, handler)
        guard let port = server.channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return LoopbackOrigin(activity: activity, port: port, server: server)
    }

    /// Starts an origin with an answer for each path; others get a 404.
    ///
    /// A path may hold a query; it is then looked up with it first.
    ///
    /// - Throws: The system's error where no socket can be had.
    package static func start(routes: [String: OriginResponse]) async throws -> LoopbackOrigin {
        try await start { request in
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
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            preconditionFailure("not a path: \(path)")
        }
        return url
    }

    /// Closes the socket and all connections, and returns when nothing runs any more.
    package func close() async {
        await server.close()
    }
}
