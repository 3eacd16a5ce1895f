import CalotypeLoading
import CalotypeSupport
import Foundation
import TestServers
import Testing

@testable import CalotypeCLI

/// `calotype serve` as another program starts it, on ports of its own.
struct ServedTool: Sendable {
    /// Where pictures are, without a `/` at its end.
    let pictures: String
    /// Where the admin listener is.
    let admin: String
    let processID: Int32

    private static let pool = BlockingPool(width: 8)

    struct NotStarted: Error {
        let line: String
    }

    /// Runs a body beside a service, which gets SIGTERM behind it.
    ///
    /// - Returns: The exit status.
    static func run(
        _ arguments: String...,
        environment: [String: String] = [:],
        _ body: @Sendable (ServedTool) async throws -> Void
    ) async throws -> Int32 {
        let pipe = Pipe()
        let all = [
            "serve", "--json", "--listen=127.0.0.1:0", "--admin=127.0.0.1:0", "--log-level=error",
            // A container may forbid to lock workers in; that they are is for tests of their own.
            "--sandbox=best-effort",
        ]
        let process = try ChildProcess(
            Tool.executable.path,
            all + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            output: pipe.fileHandleForWriting.fileDescriptor
        )
        try pipe.fileHandleForWriting.close()
        let line = await pool.run { String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) }
        let object =
            line.isEmpty ? nil : try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        guard let pictures = object?["pictures"] as? String, let admin = object?["admin"] as? String else {
            kill(process.processID, SIGKILL)
            throw NotStarted(line: line)
        }
        let result = await Result {
            try await body(ServedTool(pictures: pictures, admin: admin, processID: process.processID))
        }
        kill(process.processID, SIGTERM)
        let status = await pool.run { process.wait() }
        try result.get()
        return status
    }

    /// What a GET gives: the bytes, and the field `X-Cache`.
    func get(_ url: String) async throws -> (data: Data, cache: String?) {
        let loader = HTTPDataLoader(HTTPDataLoader.Configuration())
        let url = try #require(URL(string: url))
        let response = try await loader.response(for: FetchRequest(url: url))
        let data = try await response.collected()
        await loader.shutdown()
        return (data, response.headers["X-Cache"])
    }
}
