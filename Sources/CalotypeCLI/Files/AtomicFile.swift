import CalotypeSupport
import Foundation

/// A new file that gets its name once it is complete.
///
/// The file has no name until then if the file system supports it (`O_TMPFILE`), so that a killed program
/// leaves nothing behind. Otherwise it has a temporary name in the same folder.
struct AtomicFile {
    /// `O_TMPFILE`, which the C library declares only under `_GNU_SOURCE`.
    private static let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY
    /// The errors of link(2) on a file system without hard links.
    private static let withoutLinks: Set<Int32> = [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK, EXDEV]

    private let descriptor: Int32
    private let folder: String
    /// The temporary name, or `nil` if the file has none.
    private var temporary: String?

    /// Opens a file in the folder of its future location.
    ///
    /// - Parameters:
    ///   - location: The location.
    ///   - isNamed: Whether it gets a temporary name even if the file system supports unnamed files.
    /// - Throws: ``CommandError`` if the file cannot be created.
    init(besides location: String, isNamed: Bool = false) throws(CommandError) {
        folder = FileLocation.split(location).folder
        let isMounted = !isNamed && access("/proc/self/fd", F_OK) == 0
        let unnamed =
            isMounted ? folder.withPathBytes { open($0, Self.unnamed | O_WRONLY | O_CLOEXEC, 0o666) } : -1
        if unnamed >= 0 {
            descriptor = unnamed
            return
        }
        let name = Self.temporaryName(in: folder)
        TemporaryNames.add(name, nil)
        descriptor = name.withPathBytes { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else {
            let error = OutputFile.failure(location)
            TemporaryNames.forget(name)
            throw error
        }
        temporary = name
    }

    /// The device and the inode of the file.
    var identity: FileIdentity? { FileStatus(of: descriptor)?.identity }

    /// Writes bytes; errors name the future location.
    func append(_ data: Data, for location: String) throws(CommandError) {
        try OutputFile.append(data, to: descriptor, location)
    }

    /// Sets the dates of the file, which any later write would change.
    func set(_ dates: FileDates, for location: String) throws(CommandError) {
        guard dates.set(descriptor) else { throw OutputFile.failure(location) }
    }

    /// Gives the file its name.
    ///
    /// - Parameters:
    ///   - location: The location.
    ///   - hasLinks: Whether the file system may have hard links.
    /// - Returns: Whether the file has the name; false if another file has it.
    /// - Throws: ``CommandError``.
    func take(_ location: String, hasLinks: Bool = true) throws(CommandError) -> Bool {
        if hasLinks, link(to: location) == 0 { return true }
        if !hasLinks { errno = EPERM }
        guard errno != EEXIST else { return false }
        guard let temporary else { throw Self.needsName(location) }
        guard Self.withoutLinks.contains(errno) else { throw OutputFile.failure(location) }
        // The name is first taken by an empty file of our own, which is then replaced.
        let claim = location.withPathBytes { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
        guard claim >= 0 else {
            guard errno == EEXIST else { throw OutputFile.failure(location) }
            return false
        }
        // If it stayed empty, the next run would skip it.
        TemporaryNames.add(location, FileStatus(of: claim)?.identity)
        close(claim)
        guard Self.rename(temporary, location) == 0 else {
            let error = OutputFile.failure(location)
            TemporaryNames.remove(location)
            throw error
        }
        TemporaryNames.forget(location)
        return true
    }

    /// Replaces the file at a location; keeps its permissions and, if possible, its owner.
    mutating func replace(_ location: String) throws(CommandError) {
        if let old = FileStatus(at: location) {
            // Only root may change the owner; for others the file is their own, as with any editor.
            _ = fchown(descriptor, old.owner, old.group)
            guard fchmod(descriptor, old.permissions) == 0 || errno == EPERM || errno == ENOTSUP else {
                throw OutputFile.failure(location)
            }
        }
        // The blocks of the old file are freed once the new one has its name.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else {
            throw OutputFile.failure(location)
        }
        if temporary == nil {
            let name = Self.temporaryName(in: folder)
            guard link(to: name) == 0 else { throw Self.needsName(location) }
            TemporaryNames.add(name, identity)
            temporary = name
        }
        guard let temporary, Self.rename(temporary, location) == 0 else { throw OutputFile.failure(location) }
    }

    /// Closes the file, and removes its temporary name if it still has one.
    mutating func discard() {
        close(descriptor)
        guard let temporary else { return }
        TemporaryNames.remove(temporary)
        self.temporary = nil
    }

    private func link(to name: String) -> Int32 {
        guard let temporary else {
            return name.withPathBytes {
                linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, $0, AT_SYMLINK_FOLLOW)
            }
        }
        return temporary.withPathBytes { old in name.withPathBytes { Glibc.link(old, $0) } }
    }

    /// Returns the error for an unnamed file, for example if a security module forbids such links.
    private static func needsName(_ location: String) -> CommandError {
        CommandError(.needsName, detail: "cannot write \(location): \(SystemError.text(errno))")
    }

    private static func rename(_ old: String, _ new: String) -> Int32 {
        old.withPathBytes { old in new.withPathBytes { Glibc.rename(old, $0) } }
    }

    private static func temporaryName(in folder: String) -> String {
        "\(folder == "/" ? "" : folder)/.calotype-\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
    }
}

/// The temporary files of the process, removed if a signal ends it.
enum TemporaryNames {
    /// The names, each with the identity of its file; `nil` if no other file can have the name.
    private static let names = Guarded<[String: FileIdentity?]>([:])

    static func add(_ name: String, _ identity: FileIdentity?) {
        names.withLock { $0[name] = .some(identity) }
    }

    static func forget(_ name: String) {
        names.withLock { _ = $0.removeValue(forKey: name) }
    }

    /// Removes a file, unless another one has taken its name.
    static func remove(_ name: String) {
        let identity = names.withLock { $0.removeValue(forKey: name) }
        if let identity { unlink(name, identity) }
    }

    /// Removes all temporary files, right before the process ends.
    static func removeFiles() {
        names.withLock { names in
            for (name, identity) in names { unlink(name, identity) }
        }
    }

    private static func unlink(_ name: String, _ identity: FileIdentity?) {
        guard identity == nil || FileStatus(at: name, followsLinks: false)?.identity == identity else {
            return
        }
        name.withPathBytes { _ = Glibc.unlink($0) }
    }
}
