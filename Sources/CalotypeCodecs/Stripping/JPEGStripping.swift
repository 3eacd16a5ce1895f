import CalotypeCore
import FoundationEssentials

/// Copies the segments of a JPEG that are needed to decode it (ITU-T T.81 annex B).
enum JPEGStripping {
    /// Returns the file without application segments but JFIF, Adobe and colour profiles, without comments,
    /// and without bytes after its end.
    ///
    /// - Throws: `DecodeError` with `truncated` where the file ends before its first scan.
    static func strip(_ file: Data, exif: Data?) throws(DecodeError) -> Data {
        let bytes = file.span
        var result = Data([0xFF, 0xD8])
        result.reserveCapacity(file.count)
        var pendingExif = exif.map { Self.segment(0xE1, Data("Exif\0\0".utf8) + $0) }
        var (offset, hasScan) = (2, false)
        while let marker = nextMarker(bytes, &offset) {
            guard marker != 0xD9 else { break }
            // Markers that stand alone; within coded data they belong to it.
            if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
            guard offset + 2 <= bytes.count else { break }
            let byteCount = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
            guard byteCount >= 2, offset + byteCount <= bytes.count else { break }
            let payload = file.dropFirst(offset + 2).prefix(byteCount - 2)
            offset += byteCount
            let kept = keptPayload(marker, payload)
            if marker != 0xE0, let exif = pendingExif {
                result += exif
                pendingExif = nil
            }
            if let kept { result += segment(marker, kept) }
            guard marker == 0xDA else { continue }
            hasScan = true
            let end = endOfCodedData(bytes, from: offset)
            result += file.dropFirst(offset).prefix(end - offset)
            offset = end
        }
        guard hasScan else { throw .cutOff(.jpeg) }
        return result + [0xFF, 0xD9]
    }

    /// Moves behind the next marker; libjpeg passes over what is before it in the same way.
    private static func nextMarker(_ bytes: Span<UInt8>, _ offset: inout Int) -> UInt8? {
        while offset + 1 < bytes.count {
            let (first, second) = (bytes[offset], bytes[offset + 1])
            if first == 0xFF, second != 0xFF, second != 0 {
                offset += 2
                return second
            }
            offset += 1
        }
        return nil
    }

    /// The first marker after coded data that is no restart and no stuffed byte (section B.1.1.5).
    private static func endOfCodedData(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        while offset + 1 < bytes.count {
            if bytes[offset] == 0xFF {
                let next = bytes[offset + 1]
                if next != 0, next != 0xFF, !(0xD0...0xD7).contains(next) { return offset }
            }
            offset += 1
        }
        return bytes.count
    }

    /// The part of a segment's payload that stays; `nil` for none.
    private static func keptPayload(_ marker: UInt8, _ payload: Data) -> Data? {
        switch marker {
        case 0xE0:
            // Sixteen bits of sizes at the end say whether a thumbnail follows.
            guard payload.count >= 14, payload.starts(with: Data("JFIF\0".utf8)) else { return nil }
            return payload.prefix(12) + [0, 0]
        case 0xE2: return payload.starts(with: Data("ICC_PROFILE\0".utf8)) ? payload : nil
        case 0xEE: return payload.starts(with: Data("Adobe".utf8)) ? payload.prefix(12) : nil
        case 0xE1...0xEF, 0xFE: return nil
        default: return payload
        }
    }

    private static func segment(_ marker: UInt8, _ payload: Data) -> Data {
        let byteCount = payload.count + 2
        return Data([0xFF, marker, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF)]) + payload
    }
}
