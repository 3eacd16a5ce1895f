import Foundation

/// A TLS relay from a port of 127.0.0.1 to another, in Python.
///
/// It passes bytes on unchanged, for origins whose responses no server would forward.
public final class TLSRelay {
    /// Whether Python is installed.
    public static var isInstalled: Bool { PythonServer.isInstalled }

    /// The listening port.
    public let port: Int

    private let process: ChildProcess
    /// Kept open, since a program that writes to a closed pipe is killed.
    private let output = Pipe()

    /// Starts the relay; blocks until it listens.
    ///
    /// - Parameters:
    ///   - target: The target port of all connections on 127.0.0.1.
    ///   - certificate: The paths of a certificate and its key in PEM form.
    /// - Throws: ``ServerFailure`` if the relay does not start.
    public init(to target: Int, certificate: (certificate: String, key: String)) throws {
        guard let program = ServerProcess.find("python3") else { throw ServerFailure("no python3") }
        process = try ChildProcess(
            program,
            ["-u", "-c", Self.script, certificate.certificate, certificate.key, String(target)],
            output: output.fileHandleForWriting.fileDescriptor
        )
        try output.fileHandleForWriting.close()
        let greeting = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(greeting.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            process.kill()
            throw ServerFailure("python3 said: \(greeting)")
        }
        self.port = port
    }

    /// Stops the relay and its connections; blocks until it has exited.
    public func stop() {
        process.kill()
    }

    private static let script = """
        import select, socket, ssl, sys, threading
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        def relay(connection):
            try:
                with context.wrap_socket(connection, server_side=True) as client:
                    with socket.create_connection(("127.0.0.1", int(sys.argv[3]))) as server:
                        while True:
                            both = [client, server]
                            ready = [client] if client.pending() else select.select(both, [], [])[0]
                            for one, other in ((client, server), (server, client)):
                                if one in ready:
                                    data = one.recv(65536)
                                    if not data: return
                                    other.sendall(data)
            except OSError:
                pass
        while True:
            threading.Thread(target=relay, args=(listener.accept()[0],), daemon=True).start()
        """
}
