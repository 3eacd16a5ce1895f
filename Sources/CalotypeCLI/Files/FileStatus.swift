import CalotypeSupport
import Foundation

/// The device and the inode of a file: equal for all of its names, links and spellings.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

/// The kind, identity and permissions of an existing file.
struct FileStatus: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case regular
        case folder
        case symbolicLink
        case pipe
        /// A socket or a character device, such as a terminal or `/dev/null`.
        case device
        case blockDevice
    }

    let kind: Kind
    let identity: FileIdentity
    /// The permission bits of chmod(2).
    let permissions: mode_t
    let owner: uid_t
    let group: gid_t

    /// Reads the status of the file at a path; `nil` if the system finds no file.
    init?(at path: String, followsLinks: Bool = true) {
        var status = stat()
        let result = path.withPathBytes { followsLinks ? stat($0, &status) : lstat($0, &status) }
        guard result == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of an open file; `nil` if the descriptor is not open.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .symbolicLink
            case S_IFBLK: .blockDevice
            case S_IFIFO: .pipe
            default: .device
            }
        identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        permissions = status.st_mode & 0o777
        (owner, group) = (status.st_uid, status.st_gid)
    }
}
