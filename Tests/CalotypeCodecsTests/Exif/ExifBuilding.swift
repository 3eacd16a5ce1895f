import Foundation

/// A TIFF block with three directories, as written by cameras.
struct ExifBuilder {
    enum Value {
        case text(String)
        case bytes([UInt8], type: Int)
        case short(Int)
        case long(Int)
        case rationals([(Int, Int)])
        /// A count and an offset that may be wrong.
        case claim(type: Int, count: Int, offset: Int)
    }

    var image: [(tag: Int, value: Value)] = [
        (0x010F, .text("Acme")), (0x0110, .text("Acme X100 ")), (0x0112, .short(6)),
        (0x0131, .text("Firmware 1.2")),
    ]
    var photograph: [(tag: Int, value: Value)] = [
        (0x829A, .rationals([(1, 250)])), (0x829D, .rationals([(28, 10)])), (0x8827, .short(400)),
        (0x9003, .text("2026:03:01 12:34:56")), (0x9011, .text("+05:30")), (0x9291, .text("25")),
        (0x920A, .rationals([(235, 10)])), (0xA405, .short(35)), (0xA433, .text("Glass & Co")),
        (0xA434, .text("23mm f/2 Ω")),
    ]
    var position: [(tag: Int, value: Value)] = [
        (1, .text("S")), (2, .rationals([(33, 1), (51, 1), (3540, 100)])), (3, .text("E")),
        (4, .rationals([(151, 1), (12, 1), (36, 1)])), (5, .bytes([1], type: 1)), (6, .rationals([(25, 2)])),
    ]
    var isLittleEndian = false

    private func integer(_ value: Int, _ byteCount: Int) -> Data {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        return Data(isLittleEndian ? bytes : bytes.reversed())
    }

    private func entry(_ value: Value) -> (type: Int, count: Int, bytes: Data) {
        switch value {
        case .text(let text): (2, text.utf8.count + 1, Data(text.utf8) + [0])
        case .bytes(let bytes, let type): (type, bytes.count, Data(bytes))
        case .short(let value): (3, 1, integer(value, 2))
        case .long(let value): (4, 1, integer(value, 4))
        case .rationals(let values):
            (5, values.count, values.reduce(Data()) { $0 + integer($1.0, 4) + integer($1.1, 4) })
        case .claim(let type, let count, let offset): (type, count, integer(offset, 4))
        }
    }

    private func directory(_ entries: [(tag: Int, value: Value)], at offset: Int) -> Data {
        var (directory, values) = (integer(entries.count, 2), Data())
        let start = offset + 2 + 12 * entries.count + 4
        for (tag, value) in entries {
            let (type, count, bytes) = entry(value)
            directory += integer(tag, 2) + integer(type, 2) + integer(count, 4)
            if bytes.count <= 4 {
                directory += bytes + Data(count: 4 - bytes.count)
            } else {
                directory += integer(start + values.count, 4)
                values += bytes
            }
        }
        return directory + integer(0, 4) + values
    }

    var block: Data {
        var image = image + [(0x8769, .long(0)), (0x8825, .long(0))]
        let first = directory(image, at: 8)
        let second = directory(photograph, at: 8 + first.count)
        image[image.count - 2].value = .long(8 + first.count)
        image[image.count - 1].value = .long(8 + first.count + second.count)
        return Data(isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D]) + integer(42, 2) + integer(8, 4)
            + directory(image, at: 8) + second + directory(position, at: 8 + first.count + second.count)
    }
}
