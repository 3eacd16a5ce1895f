public import CalotypeCore
import CalotypeSupport

/// An error of the disk cache; a miss is not an error.
public struct DiskCacheError: CodedError, Hashable {
    /// The kind of failure.
    public let code: Code
    /// The file or folder concerned; empty if there is none.
    public let path: String
    /// The system's `errno`; `nil` if no file call failed.
    public let errorNumber: Int32?
    /// The failure and its remedy, as one line for the log.
    public let detail: String

    /// Creates an error.
    public init(_ code: Code, path: String = "", errorNumber: Int32? = nil, detail: String) {
        self.code = code
        self.path = path
        self.errorNumber = errorNumber
        self.detail = detail
    }

    /// Whether the same call may succeed later without a change by the caller.
    public var isRetryable: Bool { [.diskFull, .tooManyOpenFiles, .inputOutput].contains(code) }
}

extension DiskCacheError {
    /// The kinds of failure; later versions may add more.
    public struct Code: ErrorCode {
        /// A fixed label for metrics, never built from input.
        public let label: String
        /// The party responsible for the failure.
        public let fault: Fault

        private init(_ label: String, _ fault: Fault) {
            (self.label, self.fault) = (label, fault)
        }

        /// No space or quota is left, even after evicting entries.
        public static let diskFull = Code("diskFull", .environment)
        /// This user lacks the permission.
        public static let permissionDenied = Code("permissionDenied", .environment)
        /// The file system, or the store, is read-only.
        public static let readOnly = Code("readOnly", .environment)
        /// The process or the system has no file descriptor left.
        public static let tooManyOpenFiles = Code("tooManyOpenFiles", .environment)
        /// The device or the file system failed.
        public static let inputOutput = Code("inputOutput", .environment)
        /// A foreign file or folder is in the way of one of the cache.
        public static let obstructed = Code("obstructed", .environment)
        /// The entry alone exceeds the size limit.
        public static let entryTooLarge = Code("entryTooLarge", .limit)
        /// The key has more than 65,536 bytes of UTF-8.
        public static let keyTooLong = Code("keyTooLong", .caller)
        /// The metadata has more than 4,096 bytes.
        public static let metadataTooLarge = Code("metadataTooLarge", .caller)
        /// The configuration is invalid.
        public static let invalidConfiguration = Code("invalidConfiguration", .caller)
        /// Other users can write to the directory, or replace it; it is neither read nor written.
        public static let untrustedDirectory = Code("untrustedDirectory", .environment)
        /// The directory's `settings` file is invalid; the defaults apply.
        public static let damagedSettings = Code("damagedSettings", .environment)
        /// The cache has been closed.
        public static let closed = Code("closed", .caller)
    }
}

extension DiskCacheError {
    /// Creates the error that reports a failed file call.
    ///
    /// - Parameters:
    ///   - error: The failed call.
    ///   - path: The path to report if the call had only a descriptor.
    init(_ error: FileError, path: String) {
        if error.errorNumber == ESHUTDOWN {
            self = .closed
            return
        }
        if let distrust = error.distrust {
            self.init(distrust, path: error.path)
            return
        }
        let (code, advice): (Code, String) =
            switch error.errorNumber {
            case ENOSPC, EDQUOT: (.diskFull, "free space there or lower the cache's size limit")
            case EACCES, EPERM:
                (.permissionDenied, "give this user access or choose another cache folder")
            case EROFS: (.readOnly, "mount it writable or choose another cache folder")
            case EMFILE, ENFILE: (.tooManyOpenFiles, "raise the limit of open files (ulimit -n)")
            case ENOTDIR, EISDIR, ELOOP, ENOTEMPTY, EEXIST, ENAMETOOLONG:
                (.obstructed, "remove the file there or choose another cache folder")
            default: (.inputOutput, "check the disk and its file system")
            }
        let place = error.path.isEmpty ? path : error.path
        self.init(
            code,
            path: place,
            errorNumber: error.errorNumber,
            detail: "\(error.operation) failed on \(place): \(error.reason); \(advice)"
        )
    }

    private init(_ distrust: Distrust, path: String) {
        let detail =
            switch distrust {
            case .owner: "\(path) belongs to another user; chown it"
            case .writers: "other users can write to \(path); remove that permission (chmod go-w)"
            }
        self.init(
            .untrustedDirectory,
            path: path,
            detail: "\(detail), choose another cache folder, or trust other users (--trust-cache-dir)"
        )
    }

    init(_ damage: SettingsDamage, path: String) {
        self.init(
            .damagedSettings,
            path: path,
            detail:
                "line \(damage.lineNumber) of \(path) is invalid, so the defaults apply; fix or remove it"
        )
    }

    static let closed = DiskCacheError(
        .closed,
        detail: "the disk cache has been closed; open a new one to continue"
    )
}

extension FileError {
    /// The system's message for the error.
    var reason: String {
        guard let text = unsafe strerror(errorNumber) else { return "error \(errorNumber)" }
        return unsafe String(cString: text)
    }

    /// Whether the path or one of its parents does not exist, or another host of a network file system
    /// removed it while it was open here.
    var isAbsence: Bool { errorNumber == ENOENT || errorNumber == ESTALE }

    /// Whether no file can exist at the path: it, or a parent, is missing or not a folder.
    var leavesNothingThere: Bool { isAbsence || errorNumber == ENOTDIR }

    /// Whether a folder could not be removed because it is not empty.
    var meansNotEmpty: Bool { errorNumber == ENOTEMPTY || errorNumber == EEXIST }

    /// Whether the file system does not support locks, as some network file systems.
    var meansNoLocks: Bool { [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL].contains(errorNumber) }

    /// Whether this process cannot change the owner of files there at all, even as root.
    var meansNoOwners: Bool { [EPERM, EACCES, EINVAL, EOPNOTSUPP, ENOSYS].contains(errorNumber) }

    var isDiskFull: Bool { errorNumber == ENOSPC || errorNumber == EDQUOT }
}
