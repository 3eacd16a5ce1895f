import CalotypeSupport
import Foundation

/// The system calls that write a file: whole or not at all, and never in place of another one by accident.
enum OutputFile {
    /// The name of standard output.
    static let standardOutput = "-"

    /// The open descriptor that an output names: by `-`, `/dev/fd/3`, a link to these, or as the pipe or the
    /// device that standard output is; `nil` for all others; blocks.
    ///
    /// - Returns: That of standard output for all that are the same file, so that text never mixes with an
    ///   image.
    static func descriptor(of path: String) -> Int32? {
        guard path != standardOutput else { return STDOUT_FILENO }
        let number = DescriptorPath.descriptor(of: path)
        guard let output = FileStatus(of: STDOUT_FILENO), output.identity != Self.nullDevice else {
            return number
        }
        if let number { return FileStatus(of: number)?.identity == output.identity ? STDOUT_FILENO : number }
        guard output.kind == .pipe || output.kind == .device else { return nil }
        return FileStatus(at: path)?.identity == output.identity ? STDOUT_FILENO : nil
    }

    /// Whether an output is standard output, by whichever name or number; blocks.
    static func isStandardOutput(_ path: String) -> Bool { descriptor(of: path) == STDOUT_FILENO }

    /// Any number of streams may lead there.
    private static let nullDevice = FileStatus(at: "/dev/null")?.identity

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
    /// - Returns: The folders that were made, each before those in it.
    /// - Throws: ``CommandError``.
    @discardableResult
    static func createFolder(_ path: String) throws(CommandError) -> [String] {
        guard FileStatus(at: path)?.kind != .folder else { return [] }
        let parent = FilePlace.split(path).folder
        var made = parent != path && parent != "." ? try createFolder(parent) : []
        let number = path.withPathBytes { mkdir($0, 0o777) } == 0 ? 0 : errno
        if number == 0 { made.append(path) }
        // Another program may have made it meanwhile.
        guard number != 0, number != EEXIST || FileStatus(at: path)?.kind != .folder else { return made }
        removeEmptyFolders(made)
        let (folder, name) = FilePlace.split(path)
        let link = FilePlace.linkTarget(folder == "." ? name : folder + "/" + name)
        let reason = link.map(danglingLink(to:)) ?? SystemError.text(number)
        throw CommandError(.notWritable, detail: "cannot make the folder \(path): \(reason)")
    }

    /// Removes folders that are empty, those that were made last first; blocks.
    static func removeEmptyFolders(_ paths: [String]) {
        for path in paths.reversed() { path.withPathBytes { _ = rmdir($0) } }
    }

    /// The reason and the remedy where an output is a link that leads to no file.
    static func danglingLink(to target: String) -> String {
        "it is a symbolic link to \(target), where nothing is; remove the link or name another output"
    }

    static func failure(_ path: String, _ number: Int32 = errno) -> CommandError {
        CommandError(.notWritable, detail: "cannot write \(path): \(SystemError.text(number))")
    }
}
