import Foundation

/// The built executable, as other programs run it.
struct Tool {
    /// What a run has left.
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        /// The lines of standard output, each of them one JSON object.
        var objects: [[String: Any]] {
            get throws {
                try output.split(separator: "\n").map { line in
                    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                    guard let object = object as? [String: Any] else { throw NotAnObject(line: String(line)) }
                    return object
                }
            }
        }

        /// The lines of standard error.
        var errorLines: [String] {
            errors.split(separator: "\n").map(String.init)
        }
    }

    struct NotAnObject: Error {
        let line: String
    }

    /// The product stands beside the test bundle.
    private static let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "calotype")

    /// Runs the tool to its end.
    static func run(_ arguments: String...) async throws -> Outcome {
        try await run(arguments)
    }

    /// Runs the tool to its end, on a terminal where there is one; `whileRunning` is called with its process
    /// once it runs.
    static func run(
        _ arguments: [String],
        on terminal: Terminal? = nil,
        whileRunning: @escaping @Sendable (Int32) async -> Void = { _ in }
    ) async throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "calotype-tool-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { remove(folder) }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        // Files, since a pipe that nobody reads would stop a tool that writes much.
        let (output, errors) = (folder.appending(path: "output"), folder.appending(path: "errors"))
        let files = (try file(output), try file(errors))
        process.standardOutput = terminal?.toolEnd ?? files.0
        process.standardError = terminal?.toolEnd ?? files.1
        let status = try await withCheckedThrowingContinuation {
            (end: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { end.resume(returning: $0.ownStatus) }
            do {
                try process.run()
                let identifier = process.processIdentifier
                Task { await whileRunning(identifier) }
            } catch {
                end.resume(throwing: error)
            }
        }
        return Outcome(
            status: status,
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8)
        )
    }

    private static func file(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }

    private static func remove(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("\(folder.path) was left behind: \(error)")
        }
    }
}

extension Process {
    /// The exit status; negative where a signal ended the process, which no status of its own is.
    fileprivate var ownStatus: Int32 {
        terminationReason == .uncaughtSignal ? -terminationStatus : terminationStatus
    }
}
