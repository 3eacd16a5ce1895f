import CalotypeSupport
package import FoundationEssentials

/// The failures that a written entry survives.
public enum DiskDurability: Hashable, Sendable {
    /// The end of the process at any moment; data that the system had not yet written out may be lost in a
    /// power failure.
    ///
    /// The checksums turn such an entry into a miss. The default.
    case processCrash
    /// A power failure right after the store returned, at the cost of two waits for the device.
    ///
    /// A store that throws because the second wait failed has still put the entry in place.
    case powerLoss
}

/// An entry in its final place.
package struct WrittenEntry: Hashable, Sendable {
    package let identity: FileIdentity
    /// The reason why it may not survive a power failure despite ``DiskDurability/powerLoss``; the entry
    /// exists all the same.
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

    /// Writes an entry in place of an earlier one, completely or not at all.
    ///
    /// - Throws: The failed call; the temporary file is removed and the earlier entry stays.
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
            // The whole cache was removed meanwhile, including the temporary file.
            return try commit(record, to: name, fill)
        }
    }

    /// Replaces the record of an entry; the payload is copied within the kernel.
    ///
    /// - Parameters:
    ///   - name: The entry.
    ///   - record: The new record, with the payload's length and hash unchanged.
    ///   - identity: The file that the record was read from.
    /// - Returns: The written entry; `nil` if the entry has been replaced or removed since.
    /// - Throws: The failed call; the temporary file is removed and the earlier entry stays.
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
            // If the close itself failed, the descriptor is gone and its number may already be another
            // file's.
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
            // The cache never has a folder here; an empty one can be removed without loss.
            try fileSystem.removeFolder(target)
            try fileSystem.rename(path, to: target)
        }
    }

    /// Makes the name of an entry durable; a failure here does not remove the entry.
    private func synchronizeFolder(of name: EntryName) throws(FileError) -> FileError? {
        guard durability == .powerLoss else { return nil }
        do {
            try folder.synchronize(layout.folder(of: name))
            return nil
        } catch  where error.isAbsence {
            // The entry was removed with its folder.
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

    /// Removes the temporary file; if that fails too, the sweep will remove it, and the first error is the
    /// one to report.
    private func removeAfterFailure(_ path: String, _ error: FileError) throws(FileError) {
        do {
            try fileSystem.removeFileIfPresent(path)
        } catch let second {
            throw FileError(error.operation, path: second.path, errorNumber: error.errorNumber)
        }
    }
}
