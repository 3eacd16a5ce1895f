public import Foundation
import Glibc

/// An nginx server for one test over a folder, on a port of 127.0.0.1.
public final class NginxServer: Sendable {
    /// Whether nginx is installed.
    public static var isInstalled: Bool { ServerProcess.find("nginx") != nil }

    /// The base URL of the server.
    public let base: URL

    private let state: String
    private let processID: pid_t

    /// Starts the server; blocks until it listens.
    ///
    /// - Parameters:
    ///   - folder: The folder to serve.
    ///   - certificate: The paths of a certificate and its key in PEM form, for TLS.
    ///   - speaksHTTP2: Whether the server offers HTTP/2 over TLS.
    ///   - locations: Further lines of its configuration, inside `server`.
    /// - Throws: ``ServerFailure`` if the server does not start.
    public init(
        folder: String,
        certificate: (certificate: String, key: String)? = nil,
        speaksHTTP2: Bool = true,
        locations: String = ""
    ) throws {
        guard let program = ServerProcess.find("nginx") else { throw ServerFailure("no nginx") }
        state = FileManager.default.temporaryDirectory.appending(path: "nginx-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        let scheme = certificate == nil ? "http" : "https"
        // Another program may take the port before nginx does.
        for _ in 1...5 {
            let port = try ServerProcess.freePort()
            let tls = certificate.map {
                "ssl_certificate \($0.certificate); ssl_certificate_key \($0.key);"
            }
            let settings = Self.settings(
                listen: "127.0.0.1:\(port)\(tls == nil ? "" : speaksHTTP2 ? " ssl http2" : " ssl")",
                folder: folder,
                state: state,
                more: (tls ?? "") + locations
            )
            try Data(settings.utf8).write(to: URL(filePath: state + "/nginx.conf"))
            // It moves to the background, and its first process exits, when it listens.
            let arguments = ["-p", state, "-c", state + "/nginx.conf", "-e", state + "/error.log"]
            guard try ServerProcess.run(program, arguments) == 0 else { continue }
            let text = Self.line(ofFile: state + "/nginx.pid")
            guard
                let number = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)),
                let base = URL(string: "\(scheme)://127.0.0.1:\(port)/")
            else { throw ServerFailure("no process number: \(text)") }
            processID = number
            self.base = base
            return
        }
        let log = FileManager.default.contents(atPath: state + "/error.log") ?? Data()
        throw ServerFailure("nginx said: \(String(decoding: log, as: UTF8.self))")
    }

    /// The log lines of requests in the order of their responses: method, target, status, connection number.
    ///
    /// A line is written after its response has been sent, so that a client may be ahead of it.
    ///
    /// - Parameter count: The number of expected lines; blocks until they exist, for a minute at most.
    /// - Returns: All existing lines.
    public func requests(_ count: Int) -> [String] {
        var lines: [Substring] = []
        for _ in 0..<12_000 {
            let log = FileManager.default.contents(atPath: state + "/access.log") ?? Data()
            lines = String(decoding: log, as: UTF8.self).split(separator: "\n")
            if lines.count >= count { break }
            poll(nil, 0, 5)
        }
        return lines.map(String.init)
    }

    /// Stops the server and removes its files; blocks until it has exited.
    public func stop() throws {
        kill(processID, SIGTERM)
        // It is not a child of this process; its pid file is the last one that it removes.
        let number = state + "/nginx.pid"
        for _ in 0..<12_000 where FileManager.default.fileExists(atPath: number) { poll(nil, 0, 5) }
        try FileManager.default.removeItem(atPath: state)
    }

    /// The single line of a file that is written after the first process has exited.
    ///
    /// - Parameter path: The path of the file; blocks until the line is complete, for a minute at most.
    /// - Returns: The text of the file.
    private static func line(ofFile path: String) -> String {
        var text = ""
        for _ in 0..<12_000 {
            text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
            if text.hasSuffix("\n") { break }
            poll(nil, 0, 5)
        }
        return text
    }

    private static func settings(listen: String, folder: String, state: String, more: String) -> String {
        """
        pid \(state)/nginx.pid;
        worker_processes 1;
        events { worker_connections 1024; }
        http {
            log_format short '$request_method $request_uri $status $connection';
            access_log \(state)/access.log short;
            client_body_temp_path \(state)/a; proxy_temp_path \(state)/b; fastcgi_temp_path \(state)/c;
            uwsgi_temp_path \(state)/d; scgi_temp_path \(state)/e;
            # An overloaded machine lets a test rest for longer than the defaults of about a minute.
            keepalive_timeout 1h; send_timeout 1h; client_header_timeout 1h;
            types { image/png png; image/jpeg jpg; text/html html; }
            server {
                listen \(listen);
                root \(folder);
                \(more)
            }
        }
        """
    }
}
