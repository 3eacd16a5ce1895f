package import CalotypeCore

/// The file calls the disk cache is made of; a seam, so that tests can make each of them fail at each point.
///
/// Every call blocks, but for those on what is in memory. A conformer retries interrupted calls and finishes
/// short reads and writes itself, so a caller sees either the whole effect or an error.
package protocol FileSystem: Sendable {
    /// Opens a file or folder; follows no symbolic link in the last component unless the mode says so.
    func open(_ path: String, as mode: FileOpenMode) throws(FileError) -> FileDescriptor
    /// Closes a descriptor; it is gone also where this throws.
    func close(_ file: FileDescriptor) throws(FileError)
    /// What the system knows of an open file.
    func status(of file: FileDescriptor) throws(FileError) -> FileStatus
    /// What the system knows of a path; of a symbolic link itself, not of its target.
    func status(at path: String) throws(FileError) -> FileStatus
    /// What a symbolic link says; fails with `EINVAL` for anything else.
    func linkTarget(at path: String) throws(FileError) -> String
    /// Fills `buffer` from `offset` on; returns how many bytes there were, fewer only at the end of the file.
    func read(
        _ file: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileError) -> Int
    /// Fills `buffer` as ``read(_:into:at:)`` does, from memory; fails as ``FileOpenMode/cachedRead`` does.
    func readCached(
        _ file: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileError) -> Int
    /// Appends the buffers one after another, in one call where the system takes them all.
    func write(_ file: FileDescriptor, _ buffers: [UnsafeRawBufferPointer]) throws(FileError)
    /// Appends `byteCount` bytes from the current offset of `source`; within the kernel where it can.
    func copy(from source: FileDescriptor, to target: FileDescriptor, byteCount: Int) throws(FileError)
    /// Makes the contents durable.
    func synchronize(_ file: FileDescriptor) throws(FileError)
    /// Sets access and modification time of an open file.
    func setTimes(of file: FileDescriptor, accessedAt: Timestamp, writtenAt: Timestamp) throws(FileError)
    /// Sets the access time and leaves the modification time.
    func setAccessTime(at path: String, to time: Timestamp) throws(FileError)
    /// Gives an open file to an owner.
    func setOwner(of file: FileDescriptor, to owner: FileOwner) throws(FileError)
    /// Takes the lock of an open file if nobody else holds it; held until the descriptor is closed.
    func tryLock(_ file: FileDescriptor) throws(FileError) -> Bool
    /// Gives a file another name at once, in place of what has it.
    func rename(_ path: String, to newPath: String) throws(FileError)
    /// Gives a file one more name; fails with `EEXIST` where the name is taken.
    func link(_ path: String, to newPath: String) throws(FileError)
    /// Removes a file's name.
    func removeFile(_ path: String) throws(FileError)
    /// Removes an empty folder.
    func removeFolder(_ path: String) throws(FileError)
    /// Makes a folder for its owner alone (0700).
    func makeFolder(_ path: String) throws(FileError)
    /// Calls `body` with what is in a folder, in no order, without `.` and `..`; what vanishes meanwhile is
    /// left out.
    func list(_ path: String, _ body: (FolderItem) -> Void) throws(FileError)
    /// Bytes an unprivileged user can still write on the file system of a path.
    func freeByteCount(at path: String) throws(FileError) -> Int
    /// The user this process acts as.
    var userID: UInt32 { get }
}

/// An open file, by its number.
package struct FileDescriptor: Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}

/// What a file is opened for.
package enum FileOpenMode: Sendable {
    /// Reading; does not wait for a pipe's other end and does not move the access time where that can be
    /// avoided.
    case read
    /// Reading as ``read``, wherever symbolic links lead.
    case readThroughLinks
    /// Reading a file that is known to the system, without waiting for anything.
    ///
    /// Fails with `EAGAIN` where something would have to be waited for, and with `EOPNOTSUPP` where the
    /// system cannot tell.
    case cachedRead
    /// Writing a file that must not exist, for its owner alone (0600).
    case create
    /// A folder, to lock it, to make it durable, or to give it away.
    case folder
}

/// What the system knows of a file.
package struct FileStatus: Hashable, Sendable {
    /// What stands there.
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
    /// How many names it has; 0 once it has been removed.
    package var linkCount: Int
    /// Which file system it stands on; inode numbers differ only within one.
    package var device: UInt64
    /// Who may do what, as the lower twelve bits of the mode; `0o700` where nobody said so.
    package var permissions: UInt32

    /// Whether only its owner may rename or remove what stands in a folder, whoever may write to it.
    package var isSticky: Bool { permissions & 0o1000 != 0 }

    /// Tells this file from another that takes its name.
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

/// A file itself, whatever its name.
///
/// Inode numbers are used again as soon as a file is gone, so the modification time stands beside the number:
/// every entry gets its own when it is written.
package struct FileIdentity: Hashable, Sendable {
    package let inode: UInt64
    package let writtenAt: Timestamp

    package init(inode: UInt64, writtenAt: Timestamp) {
        self.inode = inode
        self.writtenAt = writtenAt
    }
}

/// Whose a file is.
package struct FileOwner: Hashable, Sendable {
    package let user: UInt32
    package let group: UInt32

    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}

/// Something in a folder.
package struct FolderItem: Sendable {
    package let name: String
    package let status: FileStatus

    package init(name: String, status: FileStatus) {
        self.name = name
        self.status = status
    }
}

/// A file call that failed.
package struct FileError: Error, Hashable, Sendable {
    /// The call, such as `rename`.
    package let operation: String
    /// The path it was given; empty for a call on a descriptor.
    package let path: String
    /// The system's `errno`.
    package let errorNumber: Int32

    package init(_ operation: String, path: String = "", errorNumber: Int32) {
        self.operation = operation
        self.path = path
        self.errorNumber = errorNumber
    }
}
