import Calotype
import CalotypeSupport
import CalotypeTesting
import Foundation
import Glibc
import TestServers

@testable import CalotypeCLI

/// `calotype serve` on ports of its own, until it is ended.
struct RunningService {
    private let process: ChildProcess
    private let client: HTTPDataLoader
    let pictures: String
    let admin: String

    struct NotServing: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a service with a cache in a folder, or where `cache` says; returns once it answers.
    static func start(
        in folder: ScratchFolder,
        cache: String? = nil,
        _ options: [String] = []
    ) async throws -> RunningService {
        let output = URL(filePath: folder.path).appending(path: "serve-\(UUID().uuidString)")
        try Data().write(to: output)
        let file = try FileHandle(forWritingTo: output)
        let arguments = [
            "serve", "--json", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--cache-dir",
            cache ?? "\(folder.path)/cache", "--allow-private-sources", "--log-level", "error",
            // A container may forbid to lock workers in; that they are is for tests of their own.
            "--sandbox", "best-effort",
        ]
        let process = try ChildProcess(
            Tool.executable.path,
            arguments + options,
            output: file.fileDescriptor,
            errors: STDERR_FILENO
        )
        try file.close()
        while true {
            let text = try String(contentsOf: output, encoding: .utf8)
            if let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first {
                let value = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                guard let pictures = value?["pictures"] as? String, let admin = value?["admin"] as? String
                else { throw NotServing(description: String(line)) }
                return RunningService(process, pictures: pictures, admin: admin)
            }
            guard kill(process.processID, 0) == 0 else { throw NotServing(description: text) }
            await Task.yield()
        }
    }

    private init(_ process: ChildProcess, pictures: String, admin: String) {
        var configuration = HTTPDataLoader.Configuration()
        configuration.acceptedStatuses = Set(200...599)
        client = HTTPDataLoader(configuration)
        (self.process, self.pictures, self.admin) = (process, pictures, admin)
    }

    var processID: pid_t { process.processID }

    /// The port of the pictures.
    var port: Int { URL(string: pictures)?.port ?? 0 }

    /// The answer to a path.
    func get(_ path: String, of place: String? = nil) async throws -> (answer: FetchResponse, body: Data) {
        guard let url = URL(string: (place ?? pictures) + path) else { throw NotServing(description: path) }
        let answer = try await client.response(for: FetchRequest(url: url))
        return (answer, try await answer.collected())
    }

    /// A number of the metrics page, all its labels together.
    func metric(_ name: String) async throws -> Double {
        let text = String(decoding: try await get("/metrics", of: admin).body, as: UTF8.self)
        return text.split(separator: "\n").filter { $0.prefix { $0 != " " && $0 != "{" } == name }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
    }

    /// Waits until nothing is being made or loaded.
    func untilIdle() async throws {
        while try await metric("calotype_work_running") + metric("calotype_fetches_running") > 0 {
            await Task.yield()
        }
    }

    /// Descriptors that the process has open.
    var descriptorCount: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count }
    }

    /// Sends a signal, and waits for the end.
    ///
    /// - Returns: The status as a shell has it.
    @discardableResult
    func end(by signal: Int32 = SIGTERM) async -> Int32 {
        kill(processID, signal)
        await client.shutdown()
        return await ProgramEnds.pool.run { process.wait() }
    }
}

private enum ProgramEnds {
    static let pool = BlockingPool(width: 8)
}
