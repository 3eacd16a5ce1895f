import CalotypeSupport
import FoundationEssentials
import TestSupport
import Testing

@Suite(.gated) struct ByteReaderTests {
    @Test func `integers are read in either byte order`() {
        var reader = ByteReader(Data([0x12, 0x34, 0x12, 0x34, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(reader.bigEndian(UInt16.self) == 0x1234)
        #expect(reader.littleEndian(UInt16.self) == 0x3412)
        #expect(reader.bigEndian(UInt8.self) == 0xFF)
        #expect(reader.bigEndian(UInt64.self) == 0x0102_0304_0506_0708)
        #expect(reader.remainingByteCount == 0)
    }

    @Test func `reads past the end return nil and consume nothing`() {
        var reader = ByteReader(Data([1, 2, 3]))
        #expect(reader.bigEndian(UInt32.self) == nil)
        #expect(reader.offset == 0)
        #expect(reader.bytes(4) == nil)
        #expect(reader.bytes(-1) == nil)
        #expect(reader.bytes(3) == Data([1, 2, 3]))
        #expect(reader.bigEndian(UInt8.self) == nil)
    }

    @Test func `a slice is read from its start`() {
        let slice = Data([9, 9, 0x01, 0x02])[2...]
        var reader = ByteReader(slice)
        #expect(reader.bigEndian(UInt16.self) == 0x0102)
    }
}
