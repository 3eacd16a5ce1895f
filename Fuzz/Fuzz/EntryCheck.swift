import FoundationEssentials

@testable import CalotypeCache
@testable import CalotypeSupport

/// The record at the end of a cache entry's file.
enum EntryCheck {
    static func run(_ input: Data) {
        read([UInt8](input))
        // A fuzzer never finds the checksum, which would leave what is behind it untested.
        read(withChecksum([UInt8](input)))
    }

    private static func read(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            do {
                let record = try EntryRecord(endOf: buffer, fileByteCount: buffer.count)
                precondition(record.fileByteCount == buffer.count, "the lengths add up to the file's")
                let again = try record.encoded().withUnsafeBytes { encoded in
                    try EntryRecord(endOf: encoded, fileByteCount: record.fileByteCount)
                }
                precondition(again == record, "a record reads back as it was written")
            } catch {
                return
            }
        }
    }

    /// The bytes with the checksum that the lengths in them ask for.
    private static func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
        let start = bytes.count - EntryRecord.trailerByteCount
        guard start >= 0 else { return bytes }
        var sealed = bytes
        let byteCount: Int? = bytes.withUnsafeBytes { buffer in
            do {
                return try EntryTrailer(endOf: buffer, fileByteCount: buffer.count).recordByteCount
            } catch {
                return nil
            }
        }
        guard let byteCount, byteCount <= bytes.count else { return bytes }
        let hash = bytes.withUnsafeBytes { buffer in
            let record = UnsafeRawBufferPointer(rebasing: buffer.suffix(byteCount))
            return xxh3(UnsafeRawBufferPointer(rebasing: record.dropLast(EntryRecord.uncoveredByteCount)))
        }
        withUnsafeBytes(of: hash.littleEndian) { sealed.replaceSubrange(start + 44..<start + 52, with: $0) }
        return sealed
    }
}
