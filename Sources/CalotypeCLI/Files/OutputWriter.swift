import CalotypeSupport
import Foundation

/// Writes the files of one run of a command according to its ``OutputRule``.
final class OutputWriter: Sendable {
    enum Outcome: Hashable, Sendable {
        case written
        case skipped
    }

    private static let pool = BlockingPool(width: 2)

    private let rule: Guarded<OutputRule>
    private let madeFolders = Guarded<[String]>([])
    private let skipsExisting: Bool

    /// Creates a writer for a run.
    ///
    /// - Parameters:
    ///   - inputs: The paths of all files that the run reads; `-` is standard input.
    ///   - existing: The treatment of an existing file at the path of an output.
    init(protecting inputs: [String], existing: ExistingFile = .refused) async {
        skipsExisting = existing == .skipped
        rule = Guarded(OutputRule(overwrites: existing == .replaced))
        await protect(inputs)
    }

    func protect(_ inputs: [String]) async {
        await Self.pool.run { [self] in
            let files = inputs.map { input -> (location: String?, identity: FileIdentity?) in
                let isStandardInput = input == "-"
                let status = isStandardInput ? FileStatus(of: STDIN_FILENO) : FileStatus(at: input)
                // A terminal is shared by many programs.
                let isShared = status?.kind == .device
                return (
                    isStandardInput ? nil : FileLocation.location(of: input),
                    isShared ? nil : status?.identity
                )
            }
            rule.withLock { rule in
                for file in files { rule.protect(file.location, file.identity) }
            }
        }
    }

    /// Rejects an output before its work is done; ``write(_:to:of:)`` checks again.
    ///
    /// - Returns: Whether it should be skipped.
    func skips(_ path: String, of source: String) async throws(CommandError) -> Bool {
        try await Self.pool.run { [self] () throws(CommandError) in
            guard OutputFile.descriptor(of: path) == nil else { return false }
            let target = FileLocation.target(path)
            let rule = rule.withLock { $0 }
            do throws(CommandError) {
                _ = try rule.action(for: target, of: source)
                return false
            } catch  where error.code == .exists && skipsExisting {
                return true
            }
        }
    }

    /// Writes a file, completely or not at all.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - path: The path; `-` and `/dev/stdout` are standard output.
    ///   - source: The identity of the image.
    ///   - dates: The dates of the file; default: now.
    /// - Returns: Whether it was written or skipped.
    /// - Throws: ``CommandError``; an existing file is then unchanged.
    @discardableResult
    func write(
        _ data: Data,
        to path: String,
        of source: String = "",
        dates: FileDates? = nil
    ) async throws -> Outcome {
        try Task.checkCancellation()
        return try await Self.pool.run { [self] () throws(CommandError) in
            if let descriptor = OutputFile.descriptor(of: path) {
                try writeOpen(descriptor, data, path)
                return .written
            }
            do throws(CommandError) {
                try commit(data, to: path, of: source, dates)
                return .written
            } catch  where error.code == .exists && skipsExisting {
                return .skipped
            }
        }
    }

    /// Creates a folder and its parents, unless it exists.
    static func makeFolder(_ path: String) async throws(CommandError) {
        try await pool.run { () throws(CommandError) in _ = try OutputFile.createFolder(path) }
    }

    /// Creates a folder for outputs, unless it exists; ``removeEmptyFolders()`` removes it if it stays empty.
    func makeFolder(_ path: String) async throws(CommandError) {
        try await Self.pool.run { [self] () throws(CommandError) in
            let made = try OutputFile.createFolder(path)
            madeFolders.withLock { $0 += made }
        }
    }

    /// Removes the folders that the run created and left empty.
    func removeEmptyFolders() async {
        await Self.pool.run { [self] in
            OutputFile.removeEmptyFolders(
                madeFolders.withLock { folders in
                    defer { folders = [] }
                    return folders
                }
            )
        }
    }

    private func commit(
        _ data: Data,
        to path: String,
        of source: String,
        _ dates: FileDates?
    ) throws(CommandError) {
        let target = FileLocation.target(path)
        let action = try rule.withLock { rule throws(CommandError) in
            try rule.action(for: target, of: source)
        }
        guard action != .none else { return }
        guard action != .writeThrough else { return try OutputFile.writeThrough(path, data) }
        do throws(CommandError) {
            try commit(data, to: path, of: source, dates, through: AtomicFile(besides: target.location))
        } catch  where error.code == .needsName {
            let file = try AtomicFile(besides: target.location, isNamed: true)
            try commit(data, to: path, of: source, dates, through: file)
        }
    }

    private func commit(
        _ data: Data,
        to path: String,
        of source: String,
        _ dates: FileDates?,
        through file: AtomicFile
    ) throws(CommandError) {
        var file = file
        defer { file.discard() }
        try file.append(data, for: path)
        if let dates { try file.set(dates, for: path) }
        // One file after the other, so that two images of a run cannot take one name.
        try rule.withLock { rule throws(CommandError) in
            // Another program may create and remove the file repeatedly.
            for _ in 0..<8 where try commit(&file, to: path, of: source, &rule) { return }
            throw CommandError(.exists, detail: "\(path) exists")
        }
    }

    /// Gives a complete file its name, depending on what exists at its path now.
    ///
    /// - Returns: Whether it has the name; false if a file has appeared meanwhile.
    private func commit(
        _ file: inout AtomicFile,
        to path: String,
        of source: String,
        _ rule: inout OutputRule
    ) throws(CommandError) -> Bool {
        let target = FileLocation.target(path)
        switch try rule.action(for: target, of: source) {
        case .none: return true
        case .writeThrough: throw CommandError(.exists, detail: "\(path) has become a device")
        case .replace: try file.replace(target.location)
        case .create: guard try file.take(target.location) else { return false }
        }
        rule.noteOutput(target.location, file.identity, of: source)
        return true
    }

    private func writeOpen(_ descriptor: Int32, _ data: Data, _ path: String) throws(CommandError) {
        guard InheritedDescriptors.contains(descriptor) else {
            throw CommandError(.notWritable, detail: "cannot write \(path): \(SystemError.text(EBADF))")
        }
        if let status = FileStatus(of: descriptor), status.kind == .regular {
            let existing = OutputRule.Existing.regular(status.identity, isWritable: true)
            let target = OutputRule.Target(path: path, location: "", existing: existing)
            try rule.withLock { rule throws(CommandError) in try rule.refuseInput(target) }
        }
        if descriptor == STDOUT_FILENO { return try TextStream.standardOutput.write(Array(data)) }
        try OutputFile.append(data, to: descriptor, path)
    }
}

/// The treatment of an existing file at the path of an output.
enum ExistingFile: Hashable, Sendable {
    /// The output is an error.
    case refused
    case replaced
    case skipped
}
