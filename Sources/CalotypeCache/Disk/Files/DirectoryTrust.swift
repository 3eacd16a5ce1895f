import CalotypeSupport

/// Whether nobody else can have written what stands in a cache directory, or put another in its place.
///
/// Entries carry checksums, not signatures: who can write into the directory says what is served. So each
/// folder and link on the way to it is judged, from the top down, as ``TrustJudge`` says.
package struct DirectoryTrust: Sendable {
    /// How far the folders are there.
    package enum Presence: Sendable {
        case complete
        /// One is missing, and only this user and the system could make it.
        case partial
        /// One is missing, and other users could make it too.
        case partialAmongOthers
    }

    private enum Step {
        case name(Substring)
        /// The folder that has been reached is one of the cache's own.
        case own
    }

    private static let linkCountMax = 40

    private let fileSystem: any FileSystem
    private let layout: DirectoryLayout
    private let trustsEverybody: Bool

    /// Prepares the check.
    ///
    /// - Parameters:
    ///   - fileSystem: Tells of the folders.
    ///   - layout: Says where the directory is.
    ///   - trustsEverybody: Whether nothing is judged.
    package init(fileSystem: any FileSystem, layout: DirectoryLayout, trustsEverybody: Bool = false) {
        self.fileSystem = fileSystem
        self.layout = layout
        self.trustsEverybody = trustsEverybody
    }

    /// Judges every folder and link from the top down to the version's folder.
    ///
    /// - Returns: How far they are there.
    /// - Throws: What is not to be trusted, with ``FileError/distrust``; or a call that failed, which any use
    ///   of the directory then meets too.
    @discardableResult
    package func check() throws(FileError) -> Presence {
        guard !trustsEverybody else { return .complete }
        var path = ""
        var folder = try fileSystem.status(at: "/")
        var judge = TrustJudge(user: fileSystem.userID, system: folder.owner.user)
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
            // Whoever opens it finds that it is no folder.
            case .file: return .complete
            case .other:
                linkCount += 1
                guard linkCount <= Self.linkCountMax else {
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

/// Judges folders and links one after another, from the top down.
///
/// Each must belong to this user or to the system, and only they may write to it. A folder that others may
/// write to passes on the way where it is sticky, as `/tmp`: there they cannot touch what is not theirs. The
/// cache's own folders never pass so. A process that runs as root also works for one other user, whose
/// directory it then is.
struct TrustJudge {
    let user: UInt32
    /// Whose the top is: root, or whoever stands for it where this process knows only some of the users.
    let system: UInt32
    private var guest: UInt32?

    init(user: UInt32, system: UInt32) {
        self.user = user
        self.system = system
    }

    /// Judges the next one.
    ///
    /// - Throws: Why it is not to be trusted.
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
        // The mode of a link says nothing.
        guard status.kind == .folder, status.isOpenToOthers else { return nil }
        return isOwn || !status.isSticky ? .writers : nil
    }
}

/// Why a directory is not to be trusted.
package enum Distrust: String, Hashable, Sendable {
    /// Another user owns it, or a folder on the way.
    case owner = "trust in the owner"
    /// Another user may write to it, or to a folder on the way.
    case writers = "trust in the writers"
}

extension FileError {
    init(_ distrust: Distrust, path: String) {
        self.init(distrust.rawValue, path: path, errorNumber: EPERM)
    }

    /// Why a directory is not to be trusted; `nil` where a call failed instead.
    package var distrust: Distrust? { Distrust(rawValue: operation) }
}

extension FileStatus {
    /// Whether others than its owner may write to it.
    ///
    /// A group with the number of its owner is that user's own, as systems make it that let the group write
    /// by default.
    var isOpenToOthers: Bool {
        permissions & (owner.group == owner.user ? 0o002 : 0o022) != 0
    }
}
