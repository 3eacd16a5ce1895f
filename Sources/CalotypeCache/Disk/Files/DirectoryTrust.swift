import CalotypeSupport

/// Checks that no other user can have written the contents of a cache directory or replaced it.
///
/// Entries carry checksums, not signatures: anyone who can write to the directory controls what is served. So
/// each folder and link of the path is checked, from the top down, as ``TrustCheck`` describes.
package struct DirectoryTrust: Sendable {
    /// How much of the path exists.
    package enum Presence: Sendable {
        case complete
        /// A folder is missing, and only this user and the system could create it.
        case partial
        /// A folder is missing, and other users could create it too.
        case partialAmongOthers
    }

    private enum Step {
        case name(Substring)
        /// The current folder is one of the cache's own.
        case own
    }

    private static let maxLinkCount = 40

    private let fileSystem: any FileSystem
    private let layout: DirectoryLayout
    private let trustsEverybody: Bool

    /// Creates the check.
    ///
    /// - Parameters:
    ///   - fileSystem: The file calls.
    ///   - layout: The paths of the directory.
    ///   - trustsEverybody: Whether to skip all checks.
    package init(fileSystem: any FileSystem, layout: DirectoryLayout, trustsEverybody: Bool = false) {
        self.fileSystem = fileSystem
        self.layout = layout
        self.trustsEverybody = trustsEverybody
    }

    /// Checks every folder and link from the top down to the version's folder.
    ///
    /// - Returns: How much of the path exists.
    /// - Throws: The untrusted path, with ``FileError/distrust``; or a failed call, which any use of the
    ///   directory would meet too.
    @discardableResult
    package func check() throws(FileError) -> Presence {
        guard !trustsEverybody else { return .complete }
        var path = ""
        var folder = try fileSystem.status(at: "/")
        var judge = TrustCheck(user: fileSystem.userID, system: folder.owner.user)
        try judge.check(folder, at: "/")
        var steps = Array(self.steps.reversed())
        var linkCount = 0
        while let step = steps.popLast() {
            guard case .name(let name) = step else {
                try judge.check(folder, at: path, isOwn: true)
                continue
            }
            let next = name == ".." ? path.parentFolder ?? "" : "\(path)/\(name)"
            guard let status = try fileSystem.statusIfPresent(next.isEmpty ? "/" : next) else {
                return folder.isOpenToOthers ? .partialAmongOthers : .partial
            }
            try judge.check(status, at: next)
            switch status.kind {
            case .folder: (path, folder) = (next, status)
            // Opening it will fail, since it is not a folder.
            case .file: return .complete
            case .other:
                linkCount += 1
                guard linkCount <= Self.maxLinkCount else {
                    throw FileError("stat", path: next, errorNumber: ELOOP)
                }
                let target = try fileSystem.linkTarget(at: next)
                if target.hasPrefix("/") { (path, folder) = ("", try fileSystem.status(at: "/")) }
                steps += names(in: target).reversed()
            }
        }
        return .complete
    }

    private var steps: [Step] {
        let below = layout.base.dropFirst(layout.root.count)
        return names(in: layout.root[...]) + [.own] + names(in: below).flatMap { [$0, .own] }
    }

    private func names(in path: some StringProtocol) -> [Step] {
        path.split(separator: "/").filter { $0 != "." }.map { .name(Substring($0)) }
    }
}

/// Checks folders and links one after another, from the top down.
///
/// Each must belong to this user or to the system, and only they may write to it. A parent folder that others
/// may write to is accepted if it is sticky, as `/tmp`: there they cannot replace files of others. The
/// cache's own folders must not be writable at all. A process that runs as root also accepts one other user,
/// who then owns the directory.
struct TrustCheck {
    let user: UInt32
    // The owner of `/`: root, or its substitute in a user namespace that maps only some users.
    let system: UInt32
    private var guest: UInt32?

    init(user: UInt32, system: UInt32) {
        self.user = user
        self.system = system
    }

    /// Checks the next folder or link.
    ///
    /// - Throws: The reason for distrust.
    mutating func check(_ status: FileStatus, at path: String, isOwn: Bool = false) throws(FileError) {
        guard let distrust = distrust(of: status, isOwn: isOwn) else { return }
        throw FileError(distrust, path: path.isEmpty ? "/" : path)
    }

    private mutating func distrust(of status: FileStatus, isOwn: Bool) -> Distrust? {
        let owner = status.owner.user
        if ![0, user, system].contains(owner) {
            guard user == 0, owner == guest ?? owner else { return .owner }
            guest = owner
        }
        // The mode of a link has no meaning.
        guard status.kind == .folder, status.isOpenToOthers else { return nil }
        return isOwn || !status.isSticky ? .writers : nil
    }
}

/// The reason why a directory is not trusted.
package enum Distrust: String, Hashable, Sendable {
    /// Another user owns it, or a folder of its path.
    case owner = "trust in the owner"
    /// Another user may write to it, or to a folder of its path.
    case writers = "trust in the writers"
}

extension FileError {
    init(_ distrust: Distrust, path: String) {
        self.init(distrust.rawValue, path: path, errorNumber: EPERM)
    }

    /// The reason why a directory is not trusted; `nil` if a call failed instead.
    package var distrust: Distrust? { Distrust(rawValue: operation) }
}

extension FileStatus {
    /// Whether users other than its owner may write to it.
    ///
    /// A group with the same number as its owner is that user's private group, which some systems make
    /// writable by default.
    var isOpenToOthers: Bool {
        permissions & (owner.group == owner.user ? 0o002 : 0o022) != 0
    }
}
