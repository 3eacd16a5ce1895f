import CalotypeLoading
import CalotypeSupport
import CalotypeTesting
import Foundation
import LoopbackOrigin

/// An nginx of a test's own on 127.0.0.1, which serves a folder.
struct Nginx {
    /// Whether there is one on this machine.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: path)

    /// A folder under which what is said about caching stays for a minute.
    static let cached = "/cached/"

    private static let path = "/usr/sbin/nginx"

    private let folder: ScratchFolder
    private let port: Int

    /// Starts it; returns when it listens.
    static func start() async throws -> Nginx {
        // Somebody else may take the port in between.
        for _ in 0..<5 {
            let nginx = Nginx(folder: try ScratchFolder(), port: try await freePort())
            if try await nginx.launch() { return nginx }
        }
        throw POSIXError(.EADDRINUSE)
    }

    /// Stops it.
    func close() async throws {
        _ = try await run(["-s", "stop"])
    }

    /// Puts a file into the folder.
    func write(_ bytes: Data, to name: String, modifiedAt date: Date = Date(timeIntervalSince1970: 1e9))
        throws
    {
        let file = folder.path + "/www" + name
        try bytes.write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
    }

    /// The URL of a file.
    func url(_ name: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(name)") else { throw URLError(.badURL) }
        return url
    }

    /// A port that was free a moment ago.
    private static func freePort() async throws -> Int {
        let origin = try await LoopbackOrigin.start(routes: [:])
        await origin.close()
        return origin.port
    }

    /// Returns when it listens, or cannot: its parent process ends then.
    private func launch() async throws -> Bool {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/www" + Self.cached,
            withIntermediateDirectories: true
        )
        try Data(configuration.utf8).write(to: URL(filePath: folder.path + "/nginx.conf"))
        return try await run([]) == 0
    }

    private var configuration: String {
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path tmp;" }
        return """
            \(getuid() == 0 ? "user root;" : "")
            worker_processes 1;
            pid nginx.pid;
            events { worker_connections 64; }
            http {
                access_log off;
                default_type image/png;
                \(places.joined(separator: " "))
                server {
                    listen 127.0.0.1:\(port);
                    root www;
                    location \(Self.cached) { add_header Cache-Control "max-age=60"; }
                }
            }
            """
    }

    /// Runs nginx and returns its exit status.
    ///
    /// Not with `Process`, which waits for whoever has inherited its socket: here the server itself.
    private func run(_ arguments: [String]) async throws -> Int32 {
        let all = [Self.path, "-p", folder.path, "-e", "error.log", "-c", "nginx.conf"] + arguments
        return try await Self.pool.run { () throws(POSIXError) in
            var strings = all.map { strdup($0) } + [nil]
            defer { for string in strings { free(string) } }
            var identifier = pid_t()
            let error = posix_spawn(&identifier, Self.path, nil, nil, &strings, environ)
            guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            return status
        }
    }

    private static let pool = BlockingPool(width: 2)
}

/// Runs a test against nginx, and leaves nothing behind.
func withNginx(_ body: (Nginx, HTTPDataLoader) async throws -> Void) async throws {
    let nginx = try await Nginx.start()
    let loader = HTTPDataLoader(.patient)
    do {
        try await body(nginx, loader)
    } catch {
        await loader.shutdown()
        try await nginx.close()
        throw error
    }
    await loader.shutdown()
    try await nginx.close()
}
