import CalotypeSupport
package import FoundationEssentials

/// A verified entry, as stored on disk.
package struct StoredEntry: Sendable {
    package let record: EntryRecord
    /// The payload; empty if only the record was read.
    package let payload: Data
    package let status: FileStatus
}

/// The result of reading an entry.
package enum ReadOutcome: Sendable {
    case found(StoredEntry)
    case missing
    /// The file is not a valid entry of this name; its identity allows removing this file and no other.
    case damaged(EntryDamage, FileIdentity)
}

/// Reads entries: open, fstat, read, close.
///
/// Files are not mapped: a truncation by another process would raise SIGBUS.
package struct EntryReader: Sendable {
    package let fileSystem: any FileSystem
    package let layout: DirectoryLayout

    package init(fileSystem: any FileSystem, layout: DirectoryLayout) {
        self.fileSystem = fileSystem
        self.layout = layout
    }

    /// Reads a whole entry and verifies the record, the lengths, both checksums and the key.
    ///
    /// - Parameters:
    ///   - name: The entry.
    ///   - key: The expected key; `nil` for any key with this name.
    /// - Returns: The outcome; absence and damage are outcomes, not errors.
    /// - Throws: The failed file call.
    package func read(_ name: EntryName, key: String?) throws(FileError) -> ReadOutcome {
        try read(name, key: key, as: .read)
    }

    /// Reads and verifies an entry as ``read(_:key:)`` does, without waiting for the device.
    ///
    /// - Throws: The failed file call, with `EAGAIN` if the entry is not in the page cache or so long that
    ///   another thread should copy it, and with `EOPNOTSUPP` if the system does not support such reads.
    package func readCached(_ name: EntryName, key: String) throws(FileError) -> ReadOutcome {
        try read(name, key: key, as: .cachedRead)
    }

    /// Copying more than this takes as long as waking a thread.
    private static let maxCachedByteCount = 256 << 10

    private func read(
        _ name: EntryName,
        key: String?,
        as mode: FileOpenMode
    ) throws(FileError) -> ReadOutcome {
        try withEntry(name, as: mode) { file, status throws(FileError) in
            if mode == .cachedRead, status.byteCount > Self.maxCachedByteCount {
                throw FileError("read", errorNumber: EAGAIN)
            }
            guard let data = try readEnd(of: file, as: mode, status: status, byteCount: status.byteCount)
            else { return .damaged(.wrongLength, status.identity) }
            return outcome(endOfFile: data, status: status, name: name, key: key, checksPayload: true)
        }
    }

    /// Reads the record alone, without verifying the payload's checksum.
    ///
    /// - Parameters:
    ///   - name: The entry.
    ///   - key: The expected key; `nil` for any key with this name.
    /// - Returns: The outcome; absence and damage are outcomes, not errors.
    /// - Throws: The failed file call.
    package func readRecord(_ name: EntryName, key: String?) throws(FileError) -> ReadOutcome {
        try readRecord(name, key: key, as: .read)
    }

    /// Reads the record alone as ``readRecord(_:key:)`` does, without waiting for the device.
    ///
    /// - Throws: The failed file call, as ``readCached(_:key:)`` does.
    package func readRecordCached(_ name: EntryName, key: String) throws(FileError) -> ReadOutcome {
        try readRecord(name, key: key, as: .cachedRead)
    }

    /// Most records are shorter: 64 bytes, the key, and the metadata.
    private static let recordGuessByteCount = 1024

    private func readRecord(
        _ name: EntryName,
        key: String?,
        as mode: FileOpenMode
    ) throws(FileError) -> ReadOutcome {
        try withEntry(name, as: mode) { file, status throws(FileError) in
            let guess = min(status.byteCount, Self.recordGuessByteCount)
            var end = try readEnd(of: file, as: mode, status: status, byteCount: guess)
            let byteCount = end.flatMap { EntryTrailer.recordByteCount(endOf: $0, of: status) }
            if let byteCount, byteCount > guess {
                end = try readEnd(of: file, as: mode, status: status, byteCount: byteCount)
            }
            guard let end else { return .damaged(.wrongLength, status.identity) }
            return outcome(endOfFile: end, status: status, name: name, key: key, checksPayload: false)
        }
    }

    /// Opens the file of an entry, calls `body` and closes the file; a file that cannot be an entry is
    /// damage, not a failure.
    private func withEntry(
        _ name: EntryName,
        as mode: FileOpenMode,
        _ body: (FileDescriptor, FileStatus) throws(FileError) -> ReadOutcome
    ) throws(FileError) -> ReadOutcome {
        let path = layout.path(of: name)
        let file: FileDescriptor
        do {
            file = try fileSystem.open(path, as: mode)
        } catch  where error.leavesNothingThere {
            return .missing
        } catch  where mode == .read && (error.errorNumber == ELOOP || error.errorNumber == ENXIO) {
            // A symbolic link or a socket; neither is opened, whatever its target.
            return .damaged(.notAFile, try fileSystem.status(at: path).identity)
        }
        defer { fileSystem.closeAfterFailure(file) }
        let status = try fileSystem.status(of: file)
        guard status.kind == .file else { return .damaged(.notAFile, status.identity) }
        guard status.byteCount <= EntryRecord.maxFileByteCount else {
            return .damaged(.wrongLength, status.identity)
        }
        do {
            return try body(file, status)
        } catch  where error.isAbsence {
            // Removed by another host while open here.
            return .missing
        }
    }

    /// Reads the last bytes of the file; returns `nil` if the file has shrunk since it was opened.
    private func readEnd(
        of file: FileDescriptor,
        as mode: FileOpenMode,
        status: FileStatus,
        byteCount: Int
    ) throws(FileError) -> Data? {
        guard byteCount > 0 else { return Data() }
        // Not zeroed first: all of it is overwritten or discarded. `Data` may copy a few bytes and free the
        // memory at once, so it takes ownership only when the memory is filled.
        guard let memory = unsafe malloc(byteCount) else { throw FileError("malloc", errorNumber: ENOMEM) }
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
        do {
            let offset = status.byteCount - byteCount
            let count =
                mode == .cachedRead
                ? try unsafe fileSystem.readCached(file, into: buffer, at: offset)
                : try unsafe fileSystem.read(file, into: buffer, at: offset)
            if count == byteCount {
                return unsafe Data(bytesNoCopy: memory, count: byteCount, deallocator: .free)
            }
            unsafe free(memory)
        } catch {
            unsafe free(memory)
            throw error
        }
        // A short read may only mean that data is not in the page cache; a blocking read decides.
        if mode == .cachedRead { throw FileError("read", errorNumber: EAGAIN) }
        return nil
    }

    private func outcome(
        endOfFile end: Data,
        status: FileStatus,
        name: EntryName,
        key: String?,
        checksPayload: Bool
    ) -> ReadOutcome {
        do throws(EntryDamage) {
            let record = try EntryRecord(endOf: end, of: status, key: key)
            let payload = checksPayload ? end.prefix(record.payloadByteCount) : Data()
            if checksPayload, unsafe payload.withUnsafeBytes({ unsafe xxh3($0) }) != record.payloadHash {
                throw .payloadChecksum
            }
            guard key != nil || EntryName(key: record.key) == name else { throw .wrongKey }
            return .found(StoredEntry(record: record, payload: payload, status: status))
        } catch {
            return .damaged(error, status.identity)
        }
    }
}

extension EntryTrailer {
    /// Returns the byte count of the record at the end of a file; `nil` if there is no record.
    fileprivate static func recordByteCount(endOf end: Data, of status: FileStatus) -> Int? {
        let trailer = unsafe end.withUnsafeBytes { bytes in
            Result { () throws(EntryDamage) in
                try unsafe EntryTrailer(endOf: bytes, fileByteCount: status.byteCount)
            }
        }
        guard case .success(let trailer) = trailer else { return nil }
        return trailer.recordByteCount
    }
}

extension EntryRecord {
    fileprivate init(endOf end: Data, of status: FileStatus, key: String?) throws(EntryDamage) {
        let record = unsafe end.withUnsafeBytes { bytes in
            Result { () throws(EntryDamage) in
                try unsafe EntryRecord(endOf: bytes, fileByteCount: status.byteCount, key: key)
            }
        }
        self = try record.get()
    }
}
