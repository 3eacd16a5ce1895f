import CalotypeCache
import CalotypeCore
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.blocking) struct EntryRecordTests {
    // Created with Python's `struct` and libxxhash from `Docs/cache-format.md`, not with this code.
    private static let pinnedExample =
        "68747470733a2f2f6578616d706c652e6f72672f612e6a7067"  // key
        + "010203"  // metadata
        + "0500000000000000"  // payload byte count
        + "fddc625c55e85595"  // payload XXH3-64
        + "15cd853dfe9c9717"  // written at
        + "00a0b83046030000"  // expiry duration
        + "19000000"  // key byte count
        + "0300"  // metadata byte count
        + "01"  // expiry kind
        + "0000000000"  // reserved
        + "cfd28de70f7ec2c3"  // record XXH3-64
        + "01000000"  // version
        + "43414c4f54595031"  // magic
    private static let pinnedLeast =
        "6b"  // key
        + "0000000000000000"  // payload byte count
        + "c294d3380580062d"  // payload XXH3-64
        + "ffffffffffffffff"  // written at
        + "0000000000000000"  // expiry duration
        + "01000000"  // key byte count
        + "0000"  // metadata byte count
        + "00"  // expiry kind
        + "0000000000"  // reserved
        + "f416f960720bbbc8"  // record XXH3-64
        + "01000000"  // version
        + "43414c4f54595031"  // magic

    private func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { xxh3($0) }
    }

    private func decode(
        _ bytes: [UInt8],
        fileByteCount: Int? = nil
    ) -> Result<EntryRecord, EntryDamage> {
        bytes.withUnsafeBytes { buffer in
            Result { () throws(EntryDamage) in
                try EntryRecord(endOf: buffer, fileByteCount: fileByteCount ?? bytes.count)
            }
        }
    }

    private var example: EntryRecord {
        EntryRecord(
            key: "https://example.org/a.jpg",
            metadata: Data([1, 2, 3]),
            writtenAt: Timestamp(nanosecondsSince1970: 1_700_000_000_123_456_789),
            expiry: .afterWrite(.seconds(3600)),
            payload: (byteCount: 5, hash: hash(Array("hello".utf8)))
        )
    }

    @Test func `the bytes of a record are pinned`() {
        #expect(hex(example.encoded()) == Self.pinnedExample)
        let least = EntryRecord(
            key: "k",
            writtenAt: Timestamp(nanosecondsSince1970: -1),
            payload: (byteCount: 0, hash: hash([]))
        )
        #expect(hex(least.encoded()) == Self.pinnedLeast)
    }

    @Test func `a written record is read back`() throws {
        for expiry in [nil, .never, .afterWrite(.seconds(1)), .afterAccess(.nanoseconds(7))] as [Expiry?] {
            var record = example
            record.expiry = expiry
            #expect(try decode(Array("hello".utf8) + record.encoded()).get() == record)
        }
    }

    @Test func `the end of a file suffices to read its record`() throws {
        let encoded = example.encoded()
        #expect(try decode(encoded, fileByteCount: encoded.count + 5).get() == example)
    }

    @Test func `every changed byte of a record is detected`() {
        let encoded = example.encoded()
        for index in encoded.indices {
            for mask in [UInt8(0x01), 0x80, 0xff] {
                var damaged = encoded
                damaged[index] ^= mask
                let result = decode(damaged, fileByteCount: encoded.count + 5)
                #expect(throws: EntryDamage.self, "byte \(index) changed by \(mask)") { try result.get() }
            }
        }
    }

    @Test func `a record cut anywhere is refused`() {
        let file = Array("hello".utf8) + example.encoded()
        for count in 0..<file.count {
            #expect(throws: EntryDamage.self, "\(count) bytes") {
                try decode(Array(file.prefix(count))).get()
            }
            #expect(throws: EntryDamage.self, "\(count) bytes") {
                try decode(Array(file.suffix(count))).get()
            }
        }
    }

    @Test func `each kind of damage has its own error`() {
        let file = Array("hello".utf8) + example.encoded()
        var wrongMagic = file
        wrongMagic[file.count - 1] = UInt8(ascii: "2")
        var wrongVersion = file
        wrongVersion[file.count - 12] = 2
        var wrongKey = file
        wrongKey[5] = UInt8(ascii: "H")
        #expect(decode([]) == .failure(.wrongLength))
        #expect(decode(wrongMagic) == .failure(.wrongMagic))
        #expect(decode(wrongVersion) == .failure(.wrongVersion))
        #expect(decode(wrongKey) == .failure(.recordChecksum))
        #expect(decode([0] + file) == .failure(.wrongLength))
    }

    @Test func `hostile lengths are refused before anything is read by them`() {
        for offset in [0, 32, 36] {
            var file = Array("hello".utf8) + example.encoded()
            let trailer = file.count - 64
            for index in 0..<(offset == 36 ? 2 : offset == 32 ? 4 : 8) {
                file[trailer + offset + index] = 0xff
            }
            #expect(decode(file) == .failure(.wrongLength), "lengths at \(offset)")
        }
    }

    @Test func `any key and metadata within the limits round-trip`() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let key = String(
                (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                    ["a", "é", "字", "👩‍🚀", "/"].randomElement(using: &generator) ?? "a"
                }.joined()
            )
            var record = example
            record.key = key
            record.metadata = Data(
                (0..<Int.random(in: 0...4096, using: &generator)).map { UInt8(truncatingIfNeeded: $0) }
            )
            #expect(try decode(Array("hello".utf8) + record.encoded()).get() == record)
        }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
