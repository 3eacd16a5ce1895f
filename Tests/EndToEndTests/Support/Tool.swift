import CalotypeSupport
import CalotypeTesting
import Foundation
import TestSupport

/// The built executable, run as by other programs.
struct Tool {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        /// The lines of standard output, each one JSON object.
        var objects: [[String: Any]] {
            get throws {
                try output.split(separator: "\n").map { line in
                    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                    guard let object = object as? [String: Any] else { throw NotAnObject(line: String(line)) }
                    return object
                }
            }
        }

        var errorLines: [String] {
            errors.split(separator: "\n").map(String.init)
        }
    }

    struct NotAnObject: Error {
        let line: String
    }

    /// The product is beside the test bundle.
    static let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "calotype")

    static func run(_ arguments: String...) async throws -> Outcome {
        try await run(arguments)
    }

    /// Runs a shell line in a folder, where `calotype` is the tool.
    static func shell(_ line: String, in folder: ScratchFolder) async throws -> Outcome {
        let script = "cd '\(folder.path)' && calotype() { '\(executable.path)' \"$@\"; } && \(line)"
        return try await run(["-c", script], of: URL(filePath: "/bin/bash"))
    }

    /// Runs the tool to its exit, on a terminal if given; `whileRunning` is called with its process once it
    /// runs.
    static func run(
        _ arguments: [String],
        of program: URL = executable,
        on terminal: Terminal? = nil,
        whileRunning: @escaping @Sendable (Int32) async -> Void = { _ in }
    ) async throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "calotype-tool-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { remove(folder) }
        // Files, since a tool with much output would block on an unread pipe.
        let (output, errors) = (folder.appending(path: "output"), folder.appending(path: "errors"))
        let process = try start(program, arguments, terminal, output, errors)
        Task { await whileRunning(process.processID) }
        let status = await pool.run { process.wait() }
        return Outcome(
            status: status,
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8)
        )
    }

    /// Limits the number of concurrent processes.
    private static let pool = BlockingPool(width: 64)

    private static func start(
        _ program: URL,
        _ arguments: [String],
        _ terminal: Terminal?,
        _ output: URL,
        _ errors: URL
    ) throws -> ChildProcess {
        let files = (try file(output), try file(errors))
        // Closed early: every program started meanwhile would inherit them.
        defer {
            for file in [files.0, files.1] {
                do { try file.close() } catch { print("not closed: \(error)") }
            }
        }
        return try ChildProcess(
            program.path,
            arguments,
            output: terminal?.toolEnd.fileDescriptor ?? files.0.fileDescriptor,
            errors: terminal?.toolEnd.fileDescriptor ?? files.1.fileDescriptor
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
