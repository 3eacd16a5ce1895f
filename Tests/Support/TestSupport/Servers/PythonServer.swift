public import Foundation

/// Python's `http.server` over a folder, with its default HTTP/1.0.
public final class PythonServer {
    /// Whether Python is installed.
    public static var isInstalled: Bool { ServerProcess.find("python3") != nil }

    /// The base URL of the server.
    public let base: URL

    private let process: ChildProcess
    /// Kept open, since a program that writes to a closed pipe is killed.
    private let output = Pipe()

    /// Starts the server; blocks until it listens.
    ///
    /// - Throws: ``ServerFailure`` if the server does not start.
    public init(folder: String) throws {
        guard let program = ServerProcess.find("python3") else { throw ServerFailure("no python3") }
        process = try ChildProcess(
            program,
            ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder, "0"],
            output: output.fileHandleForWriting.fileDescriptor
        )
        try output.fileHandleForWriting.close()
        // “Serving HTTP on 127.0.0.1 port 43211 (http://127.0.0.1:43211/) ...”, once it listens.
        let greeting = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let url = greeting.split(separator: "(").last?.split(separator: ")").first.map(String.init)
        guard let url, let base = URL(string: url), base.port != nil else {
            process.kill()
            throw ServerFailure("python3 said: \(greeting)")
        }
        self.base = base
    }

    /// Stops the server; blocks until it has exited.
    public func stop() {
        process.kill()
    }
}
