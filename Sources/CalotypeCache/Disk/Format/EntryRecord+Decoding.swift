import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The reason why a file is not a valid entry.
package enum EntryDamage: String, Error, Hashable, Sendable {
    /// Shorter than a record, or its lengths do not add up to the file's.
    case wrongLength
    /// Does not end in our magic number.
    case wrongMagic
    /// The record has a version that does not belong in this folder.
    case wrongVersion
    /// The record's checksum does not match.
    case recordChecksum
    /// The payload's checksum does not match.
    case payloadChecksum
    /// The entry of another key has this name.
    case wrongKey
    /// Not a regular file.
    case notAFile
}

/// The fixed part at the end of an entry's file.
struct EntryTrailer {
    let payloadByteCount: UInt64
    let payloadHash: UInt64
    let writtenAt: Timestamp
    let expiryNanoseconds: Int64
    let keyByteCount: Int
    let metadataByteCount: Int
    let expiryKind: ExpiryKind
    let recordHash: UInt64

    /// Bytes of the record: key, metadata and trailer.
    var recordByteCount: Int { keyByteCount + metadataByteCount + EntryRecord.trailerByteCount }

    /// Decodes the last 64 bytes of a file; checks the magic number, the version and the lengths, but not the
    /// checksum.
    ///
    /// - Parameters:
    ///   - bytes: The end of the file, or all of it.
    ///   - fileByteCount: The length of the file.
    /// - Throws: The damage.
    init(endOf bytes: UnsafeRawBufferPointer, fileByteCount: Int) throws(EntryDamage) {
        let start = bytes.count - EntryRecord.trailerByteCount
        guard start >= 0, fileByteCount >= bytes.count else { throw .wrongLength }
        func load<Value: FixedWidthInteger>(_ offset: Int, as type: Value.Type) -> Value {
            Value(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: start + offset, as: type))
        }
        guard load(56, as: UInt64.self) == EntryRecord.magic else { throw .wrongMagic }
        guard load(52, as: UInt32.self) == EntryRecord.version else { throw .wrongVersion }
        payloadByteCount = load(0, as: UInt64.self)
        payloadHash = load(8, as: UInt64.self)
        writtenAt = Timestamp(nanosecondsSince1970: load(16, as: Int64.self))
        expiryNanoseconds = load(24, as: Int64.self)
        keyByteCount = Int(load(32, as: UInt32.self))
        metadataByteCount = Int(load(36, as: UInt16.self))
        guard let kind = ExpiryKind(rawValue: load(38, as: UInt8.self)) else { throw .recordChecksum }
        expiryKind = kind
        recordHash = load(44, as: UInt64.self)
        guard keyByteCount <= EntryRecord.maxKeyByteCount,
            metadataByteCount <= EntryRecord.maxMetadataByteCount,
            payloadByteCount <= UInt64(EntryRecord.maxFileByteCount),
            Int(payloadByteCount) + recordByteCount == fileByteCount
        else { throw .wrongLength }
    }
}

extension EntryRecord {
    /// Decodes and verifies the record at the end of a file; the caller verifies the payload's checksum.
    ///
    /// - Parameters:
    ///   - bytes: The end of the file, at least the whole record; longer is fine.
    ///   - fileByteCount: The length of the file.
    ///   - key: The expected key; `nil` for any key.
    /// - Throws: The damage.
    package init(
        endOf bytes: UnsafeRawBufferPointer,
        fileByteCount: Int,
        key: String? = nil
    ) throws(EntryDamage) {
        let trailer = try unsafe EntryTrailer(endOf: bytes, fileByteCount: fileByteCount)
        guard trailer.recordByteCount <= bytes.count else { throw .wrongLength }
        let record = unsafe UnsafeRawBufferPointer(rebasing: bytes.suffix(trailer.recordByteCount))
        let covered = unsafe UnsafeRawBufferPointer(rebasing: record.dropLast(Self.uncoveredByteCount))
        guard unsafe xxh3(covered) == trailer.recordHash else { throw .recordChecksum }
        let stored = unsafe UnsafeRawBufferPointer(rebasing: record.prefix(trailer.keyByteCount))
        if let key, unsafe !key.hasBytes(stored) { throw .wrongKey }
        guard let key = unsafe key ?? String(validating: stored, as: UTF8.self) else { throw .recordChecksum }
        let metadata = unsafe UnsafeRawBufferPointer(
            rebasing: record.dropFirst(trailer.keyByteCount).prefix(trailer.metadataByteCount)
        )
        self.init(
            key: key,
            metadata: unsafe metadata.baseAddress.map { unsafe Data(bytes: $0, count: metadata.count) }
                ?? Data(),
            writtenAt: trailer.writtenAt,
            expiry: Expiry?(kind: trailer.expiryKind, durationNanoseconds: trailer.expiryNanoseconds),
            payload: (byteCount: Int(trailer.payloadByteCount), hash: trailer.payloadHash)
        )
    }
}

extension String {
    /// Returns whether its UTF-8 equals these bytes; canonically equivalent strings are different keys.
    fileprivate func hasBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var text = self
        return text.withUTF8 { text in
            guard text.count == bytes.count else { return false }
            guard let address = text.baseAddress, let other = bytes.baseAddress else { return true }
            return unsafe memcmp(address, other, text.count) == 0
        }
    }
}
