import CalotypeLoading
import CalotypeSupport
import CalotypeTesting
import Foundation
import Glibc
import TestSupport

@testable import CalotypeCLI

/// `calotype serve` on free ports, until it is stopped.
struct RunningService: Sendable {
    private let process: ChildProcess
    private let client: HTTPDataLoader
    private let ended = SharedState<Int32?>(nil)
    let pictures: String
    let admin: String
    let connectionLimit: Int

    struct NotServing: Error, CustomStringConvertible {
        let description: String
    }

    /// For a machine that runs every test at the same time.
    private static let patience = [
        "CALOTYPE_WORK_TIME": "300s", "CALOTYPE_TIMEOUT": "200s", "CALOTYPE_SOURCE_TIMEOUT": "200s",
    ]

    /// Starts a service; returns once it responds.
    ///
    /// - Parameters:
    ///   - options: The command-line options.
    ///   - environment: Variables beside those of this process.
    ///   - descriptors: The descriptor limit; by default that of this process.
    ///   - socket: A listening socket to inherit, as from systemd.
    ///   - errors: The descriptor of the log; discarded by default.
    ///   - prelude: A shell command that runs in the process before the service.
    ///   - whenStarted: Called with the process before it responds.
    /// - Returns: The service.
    /// - Throws: ``NotServing``.
    static func start(
        _ options: [String],
        environment: [String: String] = [:],
        descriptors: Int? = nil,
        socket: Int32? = nil,
        errors: Int32? = nil,
        prelude: String? = nil,
        whenStarted: @escaping @Sendable (pid_t) -> Void = { _ in }
    ) async throws -> RunningService {
        let pipe = Pipe()
        let arguments = [
            "serve", "--json", "--listen=127.0.0.1:0", "--admin=127.0.0.1:0", "--log-level=error",
            // A container may forbid the sandbox, which has separate tests.
            "--sandbox=best-effort",
        ]
        let program = Tool.executable.path
        let line =
            prelude ?? descriptors.map { "ulimit -n \($0)" }
            ?? socket.map { _ in "export LISTEN_FDS=1 LISTEN_PID=$$" }
        let shell = line.map { ["-c", "\($0) && exec \"$0\" \"$@\"", program] }
        let process = try ChildProcess(
            shell == nil ? program : "/bin/sh",
            (shell ?? []) + arguments + options,
            environment: ProcessInfo.processInfo.environment.merging(patience) { $1 }
                .merging(environment) { $1 },
            output: pipe.fileHandleForWriting.fileDescriptor,
            errors: errors,
            third: socket
        )
        whenStarted(process.processID)
        try pipe.fileHandleForWriting.close()
        let text = await ProgramEnds.pool.run { pipe.fileHandleForReading.availableData }
        let value = text.isEmpty ? nil : try JSONSerialization.jsonObject(with: text) as? [String: Any]
        guard let pictures = value?["pictures"] as? String, let admin = value?["admin"] as? String else {
            kill(process.processID, SIGKILL)
            throw NotServing(description: String(decoding: text, as: UTF8.self))
        }
        let limit = value?["connections"] as? Int ?? 0
        return RunningService(process, pictures: pictures, admin: admin, connectionLimit: limit)
    }

    /// Runs a body beside a service, which gets SIGTERM afterwards.
    ///
    /// - Returns: The exit status.
    @discardableResult
    static func run(
        _ options: String...,
        environment: [String: String] = [:],
        _ body: (RunningService) async throws -> Void
    ) async throws -> Int32 {
        let service = try await start(options, environment: environment)
        let result = await Result { () async throws -> Void in try await body(service) }
        let status = await service.end()
        try result.get()
        return status
    }

    private init(_ process: ChildProcess, pictures: String, admin: String, connectionLimit: Int) {
        var configuration = Self.patient
        configuration.acceptedStatuses = Set(200...599)
        client = HTTPDataLoader(configuration)
        (self.process, self.pictures, self.admin) = (process, pictures, admin)
        self.connectionLimit = connectionLimit
    }

    /// Timeouts longer than a service takes on a busy machine.
    static var patient: HTTPDataLoader.Configuration {
        var configuration = HTTPDataLoader.Configuration()
        // A client that accepts AVIF gets WebP first, while AVIF is encoded.
        configuration.accept = "image/*,*/*;q=0.8"
        configuration.connectTimeout = .seconds(120)
        configuration.idleTimeout = .seconds(120)
        configuration.totalTimeout = .seconds(240)
        return configuration
    }

    var processID: pid_t { process.processID }

    var port: Int { URL(string: pictures)?.port ?? 0 }

    func get(
        _ path: String,
        _ fields: [HeaderField] = [],
        of place: String? = nil
    ) async throws -> (answer: FetchResponse, body: Data) {
        guard let url = URL(string: (place ?? pictures) + path) else { throw NotServing(description: path) }
        var request = FetchRequest(url: url)
        request.headers += fields
        let answer = try await client.response(for: request)
        return (answer, try await answer.collected())
    }

    /// The sum of all samples of a metric with a given label.
    func metric(_ name: String, _ label: String = "") async throws -> Double {
        let text = String(decoding: try await get("/metrics", of: admin).body, as: UTF8.self)
        return text.split(separator: "\n").filter { $0.prefix { $0 != " " && $0 != "{" } == name }
            .filter { label.isEmpty || $0.contains(label) }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
    }

    /// Waits until nothing is rendered, loaded or written.
    func untilIdle() async throws {
        // In the order of the pipeline, so that an image is seen in one of the counts.
        while try await metric("calotype_fetches_running") + metric("calotype_work_running")
            + metric("calotype_unwritten_bytes") > 0
        {
            await Task.yield()
        }
    }

    /// Waits until a number of reloads has ended with an outcome.
    func untilReloaded(_ outcome: String, count: Double) async throws {
        let label = "outcome=\"\(outcome)\""
        while try await metric("calotype_reloads_total", label) < count { await Task.yield() }
    }

    var descriptorCount: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count }
    }

    /// The resident bytes of the process.
    var residentByteCount: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(processID)/statm", encoding: .utf8)
            return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
        }
    }

    /// The most resident bytes of the process so far.
    var peakResidentByteCount: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return (line?.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0) << 10
        }
    }

    /// Sends a signal, and waits for the exit; sends nothing after the exit.
    ///
    /// - Returns: The status as in a shell.
    @discardableResult
    func end(by signal: Int32 = SIGTERM) async -> Int32 {
        if let status = ended.value { return status }
        kill(processID, signal)
        await client.shutdown()
        let status = await ProgramEnds.pool.run { process.wait() }
        ended.withLock { $0 = status }
        return status
    }
}

private enum ProgramEnds {
    static let pool = BlockingPool(width: 8)
}
