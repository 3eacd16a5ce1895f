import CalotypeSupport
import Foundation

/// The system calls that write a file: whole or not at all, and never in place of another one by accident.
enum OutputFile {
    /// The name of standard output.
    static let standardOutput = "-"

    /// The open descriptor that a path names: `-`, `/dev/stdout`, `/dev/fd/3`; `nil` for all others.
    static func descriptor(of path: String) -> Int32? {
        guard path != standardOutput else { return STDOUT_FILENO }
        guard path.hasPrefix("/") else { return nil }
        let parts = path.split(separator: "/").filter { $0 != "." }.map(String.init)
        switch parts {
        case ["dev", "stdout"]: return STDOUT_FILENO
        case ["dev", "stderr"]: return STDERR_FILENO
        default:
            guard parts.dropLast() == ["dev", "fd"] || parts.dropLast() == ["proc", "self", "fd"] else {
                return nil
            }
            return parts.last.flatMap { Int32($0) }
        }
    }

    /// Writes to a pipe or a device, and to nothing else that may have taken its name; blocks.
    ///
    /// - Throws: ``CommandError``.
    static func writeThrough(_ path: String, _ data: Data) throws(CommandError) {
        let descriptor = path.withPathBytes { open($0, O_WRONLY | O_NOCTTY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw failure(path) }
        let kind = FileStatus(of: descriptor)?.kind
        guard kind == .pipe || kind == .device else {
            close(descriptor)
            throw CommandError(.exists, detail: "\(path) has become a file")
        }
        try append(data, to: descriptor, path)
        guard close(descriptor) == 0 else { throw failure(path) }
    }

    /// Writes all bytes to a descriptor; blocks.
    static func append(_ data: Data, to descriptor: Int32, _ path: String) throws(CommandError) {
        let error = data.withUnsafeBytes { OpenDescriptor.write($0, to: descriptor) }
        if let error { throw failure(path, error) }
    }

    /// Makes a folder with those above it, unless it is there; blocks.
    ///
    /// - Throws: ``CommandError``.
    static func createFolder(_ path: String) throws(CommandError) {
        guard FileStatus(at: path)?.kind != .folder else { return }
        let parent = FilePlace.split(path).folder
        if parent != path, parent != "." { try createFolder(parent) }
        guard path.withPathBytes({ mkdir($0, 0o777) }) == 0 || errno == EEXIST else {
            throw CommandError(
                .notWritable,
                detail: "cannot make the folder \(path): \(SystemError.text(errno))"
            )
        }
        guard FileStatus(at: path)?.kind == .folder else {
            throw CommandError(
                .notWritable,
                detail: "cannot make the folder \(path): \(SystemError.text(EEXIST))"
            )
        }
    }

    static func failure(_ path: String, _ number: Int32 = errno) -> CommandError {
        CommandError(.notWritable, detail: "cannot write \(path): \(SystemError.text(number))")
    }
}
