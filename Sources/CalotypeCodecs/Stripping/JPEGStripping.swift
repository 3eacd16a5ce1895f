import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Copies the segments of a JPEG that are needed to decode it (ITU-T T.81 annex B).
enum JPEGStripping {
    /// Returns the file without comments, application segments other than JFIF, Adobe and colour profiles,
    /// and bytes after its end.
    ///
    /// A missing end marker is not added.
    ///
    /// - Throws: `DecodeError` with `truncated` if the file ends before its first scan, and `corrupt` if a
    ///   segment is shorter than its length.
    static func strip(_ file: Data, exif: Data?) throws(DecodeError) -> Data {
        let bytes = file.span
        var result = Data([0xFF, 0xD8])
        result.reserveCapacity(file.count)
        var pendingExif = exif.map { Self.segment(0xE1, Data("Exif\0\0".utf8) + $0) }
        var (offset, hasScan) = (2, false)
        while let marker = nextMarker(bytes, &offset) {
            if marker == 0xD9 {
                guard hasScan else { break }
                return result + [0xFF, 0xD9]
            }
            // Standalone markers; within coded data they are part of it.
            if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
            guard let payload = try payload(file, &offset) else { break }
            if marker != 0xE0, let exif = pendingExif {
                result += exif
                pendingExif = nil
            }
            if let kept = keptPayload(marker, payload) { result += segment(marker, kept) }
            guard marker == 0xDA else { continue }
            hasScan = true
            let end = endOfCodedData(bytes, from: offset)
            result += file.dropFirst(offset).prefix(end - offset)
            offset = end
        }
        guard hasScan else { throw .cutOff(.jpeg) }
        return result
    }

    /// Returns the payload of the segment whose length is at the offset, and advances the offset; `nil` if it
    /// is truncated.
    private static func payload(_ file: Data, _ offset: inout Int) throws(DecodeError) -> Data? {
        var reader = ByteReader(file.dropFirst(offset))
        guard let byteCount = reader.bigEndian(UInt16.self) else { return nil }
        guard byteCount >= 2 else {
            let detail = "a segment of \(byteCount) bytes at \(offset); its length alone takes 2"
            throw DecodeError(.corrupt, format: .jpeg, detail: detail)
        }
        let payload = reader.bytes(Int(byteCount) - 2)
        offset += Int(byteCount)
        return payload
    }

    /// Advances past the next marker; libjpeg skips the bytes before it in the same way.
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

    /// Returns the first marker after coded data, other than restart markers and stuffed bytes (section
    /// B.1.1.5).
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

    /// Returns the retained part of a segment's payload; `nil` for none.
    private static func keptPayload(_ marker: UInt8, _ payload: Data) -> Data? {
        switch marker {
        case 0xE0:
            // The last two bytes are the size of a thumbnail.
            guard payload.count >= 14, payload.starts(with: Data("JFIF\0".utf8)) else { return nil }
            return payload.prefix(12) + [0, 0]
        case 0xE2: return payload.starts(with: Data("ICC_PROFILE\0".utf8)) ? payload : nil
        case 0xEE:
            return payload.count >= 12 && payload.starts(with: Data("Adobe".utf8)) ? payload.prefix(12) : nil
        // A number of lines.
        case 0xDC: return payload.count == 2 ? payload : nil
        // Reserved for an unused process.
        case 0xC8: return nil
        // Frames, tables, scans, restart intervals.
        case 0xC0...0xDF: return payload
        default: return nil
        }
    }

    private static func segment(_ marker: UInt8, _ payload: Data) -> Data {
        let byteCount = payload.count + 2
        return Data([0xFF, marker, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF)]) + payload
    }
}
