import Foundation
import Glibc

/// An nginx over a folder, on a port of 127.0.0.1; it is stopped when it is deallocated.
// Unchecked because Foundation's process is not Sendable; it is only asked for its number and for its end.
final class NginxServer: @unchecked Sendable {
    /// The root URL of the server.
    let base: URL

    private let process: Process
    /// Its settings and its log.
    private let state: URL

    /// Starts the server, and waits until it listens.
    ///
    /// - Throws: ``Skipped`` where it is not installed or does not start.
    init(folder: String) throws {
        let programs = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx"]
        guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Skipped("nginx is not installed")
        }
        state = FileManager.default.temporaryDirectory.appending(path: "nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        // Another program may take the port between its choice and its use.
        for _ in 1...5 {
            let port = try Self.freePort()
            try Self.settings(port: port, folder: folder, state: state.path)
                .write(to: state.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = ["-p", state.path, "-c", "nginx.conf", "-e", "error.log"]
            try process.run()
            guard let base = URL(string: "http://127.0.0.1:\(port)/"), Self.listens(process, port) else {
                process.waitUntilExit()
                continue
            }
            (self.process, self.base) = (process, base)
            return
        }
        throw Skipped("nginx does not start; see \(state.path)/error.log")
    }

    deinit {
        // The process inherits the signals that our thread blocks; SIGKILL cannot be blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        do {
            try FileManager.default.removeItem(at: state)
        } catch {
            print("\(state.path) was left behind: \(error)")
        }
    }

    /// One process, which stays ours.
    private static func settings(port: Int, folder: String, state: String) -> String {
        """
        daemon off;
        master_process off;
        pid \(state)/nginx.pid;
        events { worker_connections 256; }
        http {
            access_log off;
            sendfile on;
            keepalive_requests 1000000;
            client_body_temp_path \(state)/a; proxy_temp_path \(state)/b; fastcgi_temp_path \(state)/c;
            uwsgi_temp_path \(state)/d; scgi_temp_path \(state)/e;
            types { image/png png; }
            server { listen 127.0.0.1:\(port); root \(folder); }
        }
        """
    }

    /// Waits until a connection is accepted; gives up where the process has ended.
    private static func listens(_ process: Process, _ port: Int) -> Bool {
        while process.isRunning {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            if withAddress(port: port, { connect(descriptor, $0, $1) }) == 0 { return true }
            poll(nil, 0, 5)
        }
        return false
    }

    /// A port of 127.0.0.1 that was free a moment ago.
    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        guard withAddress(port: 0, { bind(descriptor, $0, $1) }) == 0 else { throw Skipped("no free port") }
        var address = sockaddr_in()
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &byteCount)
            }
        }
        guard status == 0 else { throw Skipped("no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func withAddress(
        port: Int,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
