public import Foundation
import Glibc

/// An nginx of a test's own over a folder, on a port of 127.0.0.1.
public final class NginxServer: Sendable {
    /// Whether the program is installed.
    public static var isInstalled: Bool { ServerProcess.find("nginx") != nil }

    /// Where it answers.
    public let base: URL

    private let state: String
    private let processID: pid_t

    /// Starts the server; blocks until it listens.
    ///
    /// - Parameters:
    ///   - folder: What it serves.
    ///   - certificate: The paths of a certificate and its key in PEM form; it then speaks TLS.
    ///   - speaksHTTP2: Whether it offers HTTP/2 over TLS.
    ///   - locations: More lines of its configuration, inside of `server`.
    /// - Throws: ``ServerFailure`` where it does not start.
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
        // Another program may take the port between its choice and its use.
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
            // It goes to the background, and its first process ends, when it listens.
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

    /// The lines that say what was asked for, in the order they were answered: method, target, status, and
    /// the number of the connection.
    ///
    /// A line is written after its answer has been sent, so that a client may be ahead of it.
    ///
    /// - Parameter count: How many there are to be; blocks until so many are there, for a minute at most.
    /// - Returns: All that are there.
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

    /// Ends the server at once and removes what it kept; blocks until it has ended.
    public func stop() throws {
        kill(processID, SIGTERM)
        // It is not our child; the file with its number is the last that it removes.
        let number = state + "/nginx.pid"
        for _ in 0..<12_000 where FileManager.default.fileExists(atPath: number) { poll(nil, 0, 5) }
        try FileManager.default.removeItem(atPath: state)
    }

    /// The one line of a file that is written after the first process has ended.
    ///
    /// - Parameter path: The path of the file; blocks until the line is whole, for a minute at most.
    /// - Returns: What is there.
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
