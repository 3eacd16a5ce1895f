import CalotypeSupport
import Foundation

/// The system calls that write a file: completely or not at all, and never replacing another one by accident.
enum OutputFile {
    static let standardOutput = "-"

    /// Returns the open descriptor that an output names: `-`, `/dev/fd/3`, a link to these, or the pipe or
    /// device that is standard output; `nil` for all other paths; blocks.
    ///
    /// - Returns: The descriptor of standard output for every name of the same file, so that text never mixes
    ///   with an image.
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

    /// Whether an output is standard output, by any name or number; blocks.
    static func isStandardOutput(_ path: String) -> Bool { descriptor(of: path) == STDOUT_FILENO }

    /// Any number of streams may be redirected to it.
    private static let nullDevice = FileStatus(at: "/dev/null")?.identity

    /// Writes to a pipe or a device, but not to a file that has replaced it; blocks.
    static func writeThrough(_ path: String, _ data: Data) throws(CommandError) {
        let descriptor = path.withPathBytes { open($0, O_WRONLY | O_NOCTTY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw failure(path) }
        let kind = FileStatus(of: descriptor)?.kind
        guard kind == .pipe || kind == .device else {
            close(descriptor)
            throw CommandError(.exists, detail: "\(path) has become a regular file")
        }
        try append(data, to: descriptor, path)
        guard close(descriptor) == 0 else { throw failure(path) }
    }

    /// Writes all bytes to a descriptor; blocks.
    static func append(_ data: Data, to descriptor: Int32, _ path: String) throws(CommandError) {
        let error = data.withUnsafeBytes { OpenDescriptor.write($0, to: descriptor) }
        if let error { throw failure(path, error) }
    }

    /// Creates a folder and its parents, unless it exists; blocks.
    ///
    /// - Returns: The created folders, parents first.
    @discardableResult
    static func createFolder(_ path: String) throws(CommandError) -> [String] {
        guard FileStatus(at: path)?.kind != .folder else { return [] }
        let parent = FileLocation.split(path).folder
        var made = parent != path && parent != "." ? try createFolder(parent) : []
        let number = path.withPathBytes { mkdir($0, 0o777) } == 0 ? 0 : errno
        if number == 0 { made.append(path) }
        // Another program may have created it meanwhile.
        guard number != 0, number != EEXIST || FileStatus(at: path)?.kind != .folder else { return made }
        removeEmptyFolders(made)
        let (folder, name) = FileLocation.split(path)
        let link = FileLocation.linkTarget(folder == "." ? name : folder + "/" + name)
        let reason = link.map(danglingLink(to:)) ?? SystemError.text(number)
        throw CommandError(.notWritable, detail: "cannot create the folder \(path): \(reason)")
    }

    /// Removes empty folders, in reverse order of their creation; blocks.
    static func removeEmptyFolders(_ paths: [String]) {
        for path in paths.reversed() { path.withPathBytes { _ = rmdir($0) } }
    }

    /// Returns the reason and the remedy if an output is a dangling link.
    static func danglingLink(to target: String) -> String {
        "it is a symbolic link to \(target), which does not exist; remove the link or name another output"
    }

    static func failure(_ path: String, _ number: Int32 = errno) -> CommandError {
        CommandError(.notWritable, detail: "cannot write \(path): \(SystemError.text(number))")
    }
}
