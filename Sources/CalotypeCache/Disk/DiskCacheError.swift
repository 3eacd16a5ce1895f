public import CalotypeCore
import CalotypeSupport

/// Why the disk cache could not do what it was asked; a miss is not an error.
public struct DiskCacheError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, in one fixed word.
    public let code: Code
    /// The file or folder concerned; empty where there is none.
    public let path: String
    /// The system's `errno`; `nil` where no file call failed.
    public let errorNumber: Int32?
    /// What happened and what to do about it, in one line for the log.
    public let detail: String

    /// Creates an error.
    public init(code: Code, path: String = "", errorNumber: Int32? = nil, detail: String) {
        self.code = code
        self.path = path
        self.errorNumber = errorNumber
        self.detail = detail
    }

    /// Whether the same call may succeed later with nothing changed by the caller.
    public var isRetryable: Bool { [.diskFull, .tooManyOpenFiles, .inputOutput].contains(code) }

    /// The code and the detail, as `code: text`.
    public var description: String { "\(code.label): \(detail)" }
}

extension DiskCacheError {
    /// The kinds of failure; more may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case diskFull, permissionDenied, readOnly, tooManyOpenFiles, inputOutput, obstructed
            case entryTooLarge, keyTooLong, metadataTooLarge, invalidConfiguration, closed
            case untrustedDirectory, damagedSettings
        }

        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// A fixed word for metrics, never built from input.
        public var label: String { kind.rawValue }

        /// Whose fault it is.
        public var fault: Fault {
            switch kind {
            case .diskFull, .permissionDenied, .readOnly, .tooManyOpenFiles, .inputOutput: .environment
            case .obstructed, .untrustedDirectory, .damagedSettings: .environment
            case .entryTooLarge: .limit
            case .keyTooLong, .metadataTooLarge, .invalidConfiguration, .closed: .caller
            }
        }

        /// The same word.
        public var description: String { label }

        /// No space is left, or the quota is used up, also after trimming.
        public static let diskFull = Code(.diskFull)
        /// The system does not let this user do it.
        public static let permissionDenied = Code(.permissionDenied)
        /// The file system, or the store, is read-only.
        public static let readOnly = Code(.readOnly)
        /// The process or the system has no file descriptor left.
        public static let tooManyOpenFiles = Code(.tooManyOpenFiles)
        /// The device or the file system failed.
        public static let inputOutput = Code(.inputOutput)
        /// Something that is not ours stands where a file or folder of the cache belongs.
        public static let obstructed = Code(.obstructed)
        /// The entry alone is larger than the cache may be.
        public static let entryTooLarge = Code(.entryTooLarge)
        /// The key has more than 65,536 bytes of UTF-8.
        public static let keyTooLong = Code(.keyTooLong)
        /// The metadata has more than 4,096 bytes.
        public static let metadataTooLarge = Code(.metadataTooLarge)
        /// A configuration that cannot be used.
        public static let invalidConfiguration = Code(.invalidConfiguration)
        /// Other users can write to the directory, or replace it; it is neither read nor written.
        public static let untrustedDirectory = Code(.untrustedDirectory)
        /// The directory's `settings` make no sense; the defaults hold.
        public static let damagedSettings = Code(.damagedSettings)
        /// The cache has been closed.
        public static let closed = Code(.closed)
    }
}

extension DiskCacheError {
    /// Says what a failed file call means for whoever used the cache.
    ///
    /// - Parameters:
    ///   - error: The failed call.
    ///   - path: Stands in where the call had only a descriptor.
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
                (.permissionDenied, "give this user the folder or choose another cache folder")
            case EROFS: (.readOnly, "mount it writable or choose another cache folder")
            case EMFILE, ENFILE: (.tooManyOpenFiles, "raise the limit of open files (ulimit -n)")
            case ENOTDIR, EISDIR, ELOOP, ENOTEMPTY, EEXIST, ENAMETOOLONG:
                (.obstructed, "remove what stands there or choose another cache folder")
            default: (.inputOutput, "check the disk and its file system")
            }
        let place = error.path.isEmpty ? path : error.path
        self.init(
            code: code,
            path: place,
            errorNumber: error.errorNumber,
            detail: "\(error.operation) failed on \(place): \(error.reason); \(advice)"
        )
    }

    private init(_ distrust: Distrust, path: String) {
        let detail =
            switch distrust {
            case .owner: "\(path) belongs to another user; chown it"
            case .writers: "other users can write to \(path); take that away (chmod go-w)"
            }
        self.init(
            code: .untrustedDirectory,
            path: path,
            detail: "\(detail), choose another cache folder, or trust other users (--trust-cache-dir)"
        )
    }

    init(_ damage: SettingsDamage, path: String) {
        self.init(
            code: .damagedSettings,
            path: path,
            detail:
                "line \(damage.lineNumber) of \(path) makes no sense, so the defaults hold; mend or remove it"
        )
    }

    static let closed = DiskCacheError(
        code: .closed,
        detail: "the disk cache has been closed; open another to go on"
    )
}

extension FileError {
    /// The system's words for the error.
    var reason: String {
        guard let text = unsafe strerror(errorNumber) else { return "error \(errorNumber)" }
        return unsafe String(cString: text)
    }

    /// Whether the path, or something it leads through, is not there, or was removed by another host of a
    /// network file system while it was open here.
    var isAbsence: Bool { errorNumber == ENOENT || errorNumber == ESTALE }

    /// Whether nothing can be at the path: it, or a folder on the way, is missing or not a folder.
    var leavesNothingThere: Bool { isAbsence || errorNumber == ENOTDIR }

    /// Whether a folder could not be removed for what is in it.
    var meansNotEmpty: Bool { errorNumber == ENOTEMPTY || errorNumber == EEXIST }

    /// Whether the file system has no locks, as some network file systems.
    var meansNoLocks: Bool { [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL].contains(errorNumber) }

    /// Whether this process cannot give files away there at all, root or not.
    var meansNoOwners: Bool { [EPERM, EACCES, EINVAL, EOPNOTSUPP, ENOSYS].contains(errorNumber) }

    /// Whether there is no room.
    var isDiskFull: Bool { errorNumber == ENOSPC || errorNumber == EDQUOT }
}

extension DiskCacheError: CodedError {
    package var codeLabel: String { code.label }

    /// Whose fault it is.
    public var fault: Fault { code.fault }
}
