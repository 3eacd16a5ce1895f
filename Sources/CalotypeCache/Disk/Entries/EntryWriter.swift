import CalotypeSupport
package import FoundationEssentials

/// How much a written entry survives.
public enum DiskDurability: Hashable, Sendable {
    /// The end of the process at any moment; what the system had not yet written out may be lost with the
    /// power. The checksums turn such an entry into a miss. The default.
    case processCrash
    /// The loss of power right after the store returned, at the cost of two waits for the device.
    ///
    /// A store that throws because the second of them failed has put the entry in place all the same.
    case powerLoss
}

/// An entry that stands in its place.
package struct WrittenEntry: Hashable, Sendable {
    /// Which file it is.
    package let identity: FileIdentity
    /// Why it may not outlast a loss of power, where it was to; it is there all the same.
    package var durabilityProblem: FileError?
}

/// Writes entries: a temporary file, payload and record in one call, then a rename into place.
package struct EntryWriter: Sendable {
    package let fileSystem: any FileSystem
    package let layout: DirectoryLayout
    package let folder: WriterFolder
    package let durability: DiskDurability

    package init(
        fileSystem: any FileSystem,
        layout: DirectoryLayout,
        folder: WriterFolder,
        durability: DiskDurability
    ) {
        self.fileSystem = fileSystem
        self.layout = layout
        self.folder = folder
        self.durability = durability
    }

    /// Puts an entry in place of what is there; either all of it is done or nothing.
    ///
    /// - Returns: What stands there now.
    /// - Throws: The call that failed; the temporary file is gone and the earlier entry stays.
    @discardableResult
    package func write(
        _ payload: Data,
        _ record: EntryRecord,
        to name: EntryName
    ) throws(FileError) -> WrittenEntry {
        let fill = { (file: FileDescriptor) throws(FileError) in
            try writeWhole(payload, record.encoded(), into: file)
        }
        do {
            return try commit(record, to: name, fill)
        } catch  where error.isAbsence {
            // The whole cache was removed under our hands, the temporary file with it.
            return try commit(record, to: name, fill)
        }
    }

    /// Gives the entry that stands under a name another record; the payload is copied within the kernel.
    ///
    /// - Parameters:
    ///   - name: The entry.
    ///   - record: Its new record; the payload's length and hash as they were.
    ///   - identity: The file the record was taken from.
    /// - Returns: What stands there now; `nil` where it is another, or none, by now.
    /// - Throws: The call that failed; the temporary file is gone and the earlier entry stays.
    package func renew(
        _ name: EntryName,
        record: EntryRecord,
        ifStill identity: FileIdentity
    ) throws(FileError) -> WrittenEntry? {
        let source: FileDescriptor
        do {
            source = try fileSystem.open(layout.path(of: name), as: .read)
        } catch  where error.isAbsence {
            return nil
        }
        defer { fileSystem.closeAfterFailure(source) }
        guard try fileSystem.status(of: source).identity == identity else { return nil }
        return try commit(record, to: name) { file throws(FileError) in
            try fileSystem.copy(from: source, to: file, byteCount: record.payloadByteCount)
            try writeWhole(Data(), record.encoded(), into: file)
        }
    }

    private func commit(
        _ record: EntryRecord,
        to name: EntryName,
        _ fill: (FileDescriptor) throws(FileError) -> Void
    ) throws(FileError) -> WrittenEntry {
        let (path, file) = try folder.createFile()
        do {
            let identity = try finish(file, record, fill)
            try putInPlace(path, as: name)
            return WrittenEntry(identity: identity, durabilityProblem: try synchronizeFolder(of: name))
        } catch {
            try removeAfterFailure(path, error)
            throw error
        }
    }

    private func finish(
        _ file: FileDescriptor,
        _ record: EntryRecord,
        _ fill: (FileDescriptor) throws(FileError) -> Void
    ) throws(FileError) -> FileIdentity {
        do {
            try fill(file)
            try fileSystem.setTimes(of: file, accessedAt: record.writtenAt, writtenAt: record.writtenAt)
            if durability == .powerLoss { try fileSystem.synchronize(file) }
            let status = try fileSystem.status(of: file)
            try fileSystem.close(file)
            return status.identity
        } catch {
            // Where the close itself failed the descriptor is gone, and its number may be another file's by
            // now.
            if error.operation != "close" { fileSystem.closeAfterFailure(file) }
            throw error
        }
    }

    private func putInPlace(_ path: String, as name: EntryName) throws(FileError) {
        let target = layout.path(of: name)
        do {
            try fileSystem.rename(path, to: target)
        } catch  where error.isAbsence {
            try folder.makeFolders(layout.folder(of: name))
            try fileSystem.rename(path, to: target)
        } catch  where error.errorNumber == EISDIR {
            // A folder of ours is never here; an empty one can go without a loss.
            try fileSystem.removeFolder(target)
            try fileSystem.rename(path, to: target)
        }
    }

    /// Makes the name of an entry durable; what fails here does not take the entry away again.
    private func synchronizeFolder(of name: EntryName) throws(FileError) -> FileError? {
        guard durability == .powerLoss else { return nil }
        do {
            try folder.synchronize(layout.folder(of: name))
            return nil
        } catch  where error.isAbsence {
            // The entry has gone with its folder.
            throw error
        } catch {
            return error
        }
    }

    private func writeWhole(_ payload: Data, _ record: [UInt8], into file: FileDescriptor) throws(FileError) {
        let written = unsafe payload.withUnsafeBytes { payload in
            unsafe record.withUnsafeBytes { record in
                Result { () throws(FileError) in try unsafe fileSystem.write(file, [payload, record]) }
            }
        }
        try written.get()
    }

    /// Takes the temporary file away; where that fails too, the sweep will, and the first error is the one to
    /// tell.
    private func removeAfterFailure(_ path: String, _ error: FileError) throws(FileError) {
        do {
            try fileSystem.removeFileIfPresent(path)
        } catch let second {
            throw FileError(error.operation, path: second.path, errorNumber: error.errorNumber)
        }
    }
}
