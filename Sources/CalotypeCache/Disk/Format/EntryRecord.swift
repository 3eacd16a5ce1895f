package import CalotypeCore
import CalotypeSupport
package import FoundationEssentials

/// The record after the payload in an entry's file: key, metadata, dates and checksums.
///
/// Little-endian, `key ‖ metadata ‖ trailer`. The trailer has 64 bytes, and its magic number is the last 8
/// bytes of the file. `Docs/cache-format.md` describes the layout; the tests pin it byte for byte.
package struct EntryRecord: Hashable, Sendable {
    /// The whole key, not its hash.
    package var key: String
    /// Up to 4 KiB of metadata, defined by the client that stored the entry.
    package var metadata: Data
    /// When the entry was written or last renewed.
    package var writtenAt: Timestamp
    /// The entry's own expiry; `nil` for the store's.
    package var expiry: Expiry?
    /// The payload's length in bytes.
    package var payloadByteCount: Int
    /// XXH3-64 of the payload.
    package var payloadHash: UInt64

    package init(
        key: String,
        metadata: Data = Data(),
        writtenAt: Timestamp,
        expiry: Expiry? = nil,
        payload: (byteCount: Int, hash: UInt64)
    ) {
        self.key = key
        self.metadata = metadata
        self.writtenAt = writtenAt
        self.expiry = expiry
        payloadByteCount = payload.byteCount
        payloadHash = payload.hash
    }
}

extension EntryRecord {
    /// `CALOTYP1`, the last eight bytes of every entry.
    static let magic: UInt64 = 0x3150_5954_4F4C_4143
    /// The version of the record; folder `v1` contains no other.
    static let version: UInt32 = 1
    /// The trailer's length in bytes.
    static let trailerByteCount = 64
    /// The bytes of the trailer that the record's checksum does not cover: itself, the version and the magic
    /// number.
    static let uncoveredByteCount = 20
    /// The most metadata an entry carries, in bytes.
    static let maxMetadataByteCount = 4096
    /// The longest key, in UTF-8 bytes.
    static let maxKeyByteCount = 65536
    /// The longest record, in bytes.
    static let maxByteCount = maxKeyByteCount + maxMetadataByteCount + trailerByteCount
    /// The longest file, in bytes; nothing longer is read, whatever its record claims.
    static let maxFileByteCount = 1 << 31 - 4096

    package var byteCount: Int { key.utf8.count + metadata.count + Self.trailerByteCount }

    package var fileByteCount: Int { payloadByteCount + byteCount }

    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        bytes.append(contentsOf: key.utf8)
        bytes.append(contentsOf: metadata)
        bytes.appendLittleEndian(UInt64(payloadByteCount))
        bytes.appendLittleEndian(payloadHash)
        bytes.appendLittleEndian(UInt64(bitPattern: writtenAt.nanosecondsSince1970))
        bytes.appendLittleEndian(UInt64(bitPattern: expiry.durationNanoseconds))
        bytes.appendLittleEndian(UInt32(key.utf8.count))
        bytes.appendLittleEndian(UInt16(metadata.count))
        bytes.append(expiry.kind.rawValue)
        bytes.append(0)
        bytes.appendLittleEndian(UInt32(0))
        let hash = unsafe bytes.withUnsafeBytes { unsafe xxh3($0) }
        bytes.appendLittleEndian(hash)
        bytes.appendLittleEndian(Self.version)
        bytes.appendLittleEndian(Self.magic)
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func appendLittleEndian<Value: FixedWidthInteger>(_ value: Value) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }
}

/// The encoding of an entry's own expiry in its record.
enum ExpiryKind: UInt8 {
    case ofStore = 0
    case afterWrite = 1
    case afterAccess = 2
    case never = 3
}

extension Expiry? {
    var kind: ExpiryKind {
        switch self {
        case nil: .ofStore
        case .afterWrite: .afterWrite
        case .afterAccess: .afterAccess
        case .never: .never
        }
    }

    /// The duration in nanoseconds; 0 if there is none.
    var durationNanoseconds: Int64 {
        switch self {
        case .afterWrite(let duration), .afterAccess(let duration): duration.clampedNanoseconds
        case nil, .never: 0
        }
    }

    init(kind: ExpiryKind, durationNanoseconds: Int64) {
        self =
            switch kind {
            case .ofStore: nil
            case .afterWrite: .afterWrite(.nanoseconds(durationNanoseconds))
            case .afterAccess: .afterAccess(.nanoseconds(durationNanoseconds))
            case .never: .never
            }
    }
}

extension Expiry {
    /// Returns the time when an entry with these dates stops being served; `nil` for never.
    package func expiryDate(writtenAt: Timestamp, accessedAt: Timestamp) -> Timestamp? {
        switch self {
        case .afterWrite(let duration): writtenAt + duration
        case .afterAccess(let duration): max(writtenAt, accessedAt) + duration
        case .never: nil
        }
    }
}

extension Duration {
    /// Nanoseconds, clamped to 64 bits.
    var clampedNanoseconds: Int64 {
        (Timestamp(nanosecondsSince1970: 0) + self).nanosecondsSince1970
    }
}
