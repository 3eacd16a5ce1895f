import CalotypeSupport
import Foundation

/// Writes results into files that a person names: whole or not at all.
enum OutputFile {
    private static let pool = BlockingPool(width: 2)

    /// What stands for standard output.
    static let standardOutput = "-"

    /// Puts bytes at a path in place of what was there, on a thread that may block.
    ///
    /// A regular file is replaced by a rename; a device or a pipe is written to, and standard output for `-`.
    ///
    /// - Throws: ``CommandError``; what was there is then still there.
    static func write(_ data: Data, to path: String) async throws {
        try Task.checkCancellation()
        try await pool.run { () throws(CommandError) in try replace(path, with: data) }
    }

    /// Makes a folder with those above it, unless it is there.
    ///
    /// - Throws: ``CommandError``.
    static func makeFolder(_ path: String) async throws(CommandError) {
        try await pool.run { () throws(CommandError) in
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            } catch {
                throw CommandError(.notWritable, detail: "cannot make the folder \(path): \(reason(error))")
            }
        }
    }

    private static func replace(_ path: String, with data: Data) throws(CommandError) {
        guard path != standardOutput else { return try TextStream.standardOutput.write(Array(data)) }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            return try writeThrough(path, data)
        }
        let temporary = "\(path).\(getpid())-\(UInt32.random(in: 0 ... .max)).tmp"
        do throws(CommandError) {
            try append(data, to: try open(temporary, O_WRONLY | O_CREAT | O_EXCL, for: path), path)
            guard rename(temporary, path) == 0 else { throw failure(path) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static func writeThrough(_ path: String, _ data: Data) throws(CommandError) {
        try append(data, to: try open(path, O_WRONLY, for: path), path)
    }

    private static func open(_ path: String, _ flags: Int32, for target: String) throws(CommandError) -> Int32
    {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(target) }
        return descriptor
    }

    /// Writes all bytes and closes the descriptor.
    private static func append(_ data: Data, to descriptor: Int32, _ path: String) throws(CommandError) {
        var problem: CommandError?
        var rest = data[...]
        while problem == nil, !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                problem = failure(path)
            }
        }
        if close(descriptor) != 0, problem == nil { problem = failure(path) }
        if let problem { throw problem }
    }

    private static func failure(_ path: String) -> CommandError {
        CommandError(.notWritable, detail: "cannot write \(path): \(SystemError.text(errno))")
    }

    /// The system's reason where there is one; Foundation's own texts name neither file nor cause.
    private static func reason(_ error: any Error) -> String {
        guard let cause = (error as? CocoaError)?.underlying as? POSIXError else { return "\(error)" }
        return SystemError.text(cause.code.rawValue)
    }
}
