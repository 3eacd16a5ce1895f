package import CalotypeCore

/// The file calls of the disk cache, as a protocol so that tests can make any call fail at any point.
///
/// Every call blocks, except those that read the page cache. A conformer retries interrupted calls and
/// completes short reads and writes itself, so a caller sees either the whole effect or an error.
package protocol FileSystem: Sendable {
    /// Opens a file or folder; follows no symbolic link in the last component unless the mode says so.
    func open(_ path: String, as mode: FileOpenMode) throws(FileError) -> FileDescriptor
    /// Closes a descriptor, which is invalid afterwards even if this throws.
    func close(_ file: FileDescriptor) throws(FileError)
    func status(of file: FileDescriptor) throws(FileError) -> FileStatus
    /// Returns the status of a path; for a symbolic link, its own status, not its target's.
    func status(at path: String) throws(FileError) -> FileStatus
    /// Returns the target of a symbolic link; fails with `EINVAL` for anything else.
    func linkTarget(at path: String) throws(FileError) -> String
    /// Fills `buffer` from `offset` on; returns the number of bytes read, fewer only at the end of the file.
    func read(
        _ file: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileError) -> Int
    /// Fills `buffer` as ``read(_:into:at:)`` does, from the page cache; fails as ``FileOpenMode/cachedRead``
    /// does.
    func readCached(
        _ file: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileError) -> Int
    /// Appends the buffers one after another, in one call if the system accepts them all.
    func write(_ file: FileDescriptor, _ buffers: [UnsafeRawBufferPointer]) throws(FileError)
    /// Appends `byteCount` bytes from the current offset of `source`; within the kernel if possible.
    func copy(from source: FileDescriptor, to target: FileDescriptor, byteCount: Int) throws(FileError)
    /// Makes the contents durable.
    func synchronize(_ file: FileDescriptor) throws(FileError)
    func setTimes(of file: FileDescriptor, accessedAt: Timestamp, writtenAt: Timestamp) throws(FileError)
    /// Sets the access time and leaves the modification time.
    func setAccessTime(at path: String, to time: Timestamp) throws(FileError)
    func setOwner(of file: FileDescriptor, to owner: FileOwner) throws(FileError)
    /// Takes the lock of an open file if it is free; held until the descriptor is closed.
    func tryLock(_ file: FileDescriptor) throws(FileError) -> Bool
    /// Renames a file atomically, replacing a file of that name.
    func rename(_ path: String, to newPath: String) throws(FileError)
    /// Adds a hard link to a file; fails with `EEXIST` if the name is taken.
    func link(_ path: String, to newPath: String) throws(FileError)
    func removeFile(_ path: String) throws(FileError)
    func removeFolder(_ path: String) throws(FileError)
    /// Creates a folder for its owner alone (0700).
    func makeFolder(_ path: String) throws(FileError)
    /// Calls `body` with each item of a folder, in no order, without `.` and `..`; items that vanish
    /// meanwhile are skipped.
    func list(_ path: String, _ body: (FolderItem) -> Void) throws(FileError)
    /// Bytes an unprivileged user can still write on the file system of a path.
    func freeByteCount(at path: String) throws(FileError) -> Int
    /// The effective user of this process.
    var userID: UInt32 { get }
}

package struct FileDescriptor: Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}

/// The purpose a file is opened for.
package enum FileOpenMode: Sendable {
    /// Reading; does not wait for a pipe's other end, and leaves the access time unchanged if possible.
    case read
    /// Reading as ``read``, following symbolic links.
    case readThroughLinks
    /// Reading a file from the page cache, without waiting for the device.
    ///
    /// Fails with `EAGAIN` if it would have to wait, and with `EOPNOTSUPP` if the system does not support
    /// such reads.
    case cachedRead
    /// Writing a new file, for its owner alone (0600); fails if it exists.
    case create
    /// A folder, to lock it, make it durable, or change its owner.
    case folder
}

package struct FileStatus: Hashable, Sendable {
    package enum Kind: Sendable {
        case file
        case folder
        case other
    }

    package var kind: Kind
    package var byteCount: Int
    package var inode: UInt64
    package var accessedAt: Timestamp
    package var writtenAt: Timestamp
    package var owner: FileOwner
    /// The number of hard links; 0 once the file has been removed.
    package var linkCount: Int
    /// The file system it is on; inode numbers are unique only within one.
    package var device: UInt64
    /// The lower twelve bits of the mode; `0o700` unless set.
    package var permissions: UInt32

    /// Whether only the owner of a file in this folder may rename or remove it, even if others may write to
    /// the folder.
    package var isSticky: Bool { permissions & 0o1000 != 0 }

    /// The identity that distinguishes this file from another with its name.
    package var identity: FileIdentity { FileIdentity(inode: inode, writtenAt: writtenAt) }

    package init(
        kind: Kind,
        byteCount: Int,
        inode: UInt64,
        accessedAt: Timestamp,
        writtenAt: Timestamp,
        owner: FileOwner = FileOwner(user: 0, group: 0)
    ) {
        self.kind = kind
        self.byteCount = byteCount
        self.inode = inode
        self.accessedAt = accessedAt
        self.writtenAt = writtenAt
        self.owner = owner
        linkCount = 1
        device = 0
        permissions = 0o700
    }
}

/// The identity of a file, independent of its name.
///
/// Inode numbers are reused as soon as a file is removed, so the modification time is part of the identity:
/// every entry gets its own when it is written.
package struct FileIdentity: Hashable, Sendable {
    package let inode: UInt64
    package let writtenAt: Timestamp

    package init(inode: UInt64, writtenAt: Timestamp) {
        self.inode = inode
        self.writtenAt = writtenAt
    }
}

package struct FileOwner: Hashable, Sendable {
    package let user: UInt32
    package let group: UInt32

    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}

package struct FolderItem: Sendable {
    package let name: String
    package let status: FileStatus

    package init(name: String, status: FileStatus) {
        self.name = name
        self.status = status
    }
}

package struct FileError: Error, Hashable, Sendable {
    /// The name of the call, such as `rename`.
    package let operation: String
    /// The path argument; empty for a call on a descriptor.
    package let path: String
    /// The system's `errno`.
    package let errorNumber: Int32

    package init(_ operation: String, path: String = "", errorNumber: Int32) {
        self.operation = operation
        self.path = path
        self.errorNumber = errorNumber
    }
}
