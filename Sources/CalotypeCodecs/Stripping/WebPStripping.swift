import CalotypeCore
import FoundationEssentials

/// Copies the chunks of a WebP that are needed to show it.
enum WebPStripping {
    private static let top: Set<WebPChunkType> = [
        .extendedHeader, .profile, .animation, .frame, .alpha, .lossy, .lossless,
    ]
    /// The possible first chunks of a recognised file.
    private static let first: Set<WebPChunkType> = [.extendedHeader, .lossy, .lossless]
    private static let inFrame: Set<WebPChunkType> = [.alpha, .lossy, .lossless]
    /// Flags of the extended header for Exif and XMP.
    private static let (exifFlag, xmpFlag) = (UInt8(0x08), UInt8(0x04))

    /// Returns the file without Exif, XMP and unknown chunks.
    ///
    /// - Throws: `DecodeError` with `truncated` if a chunk ends beyond the file, and `corrupt` if the first
    ///   retained chunk is neither a picture nor an extended header.
    static func strip(_ file: Data, exif: Data?) throws(DecodeError) -> Data {
        let file = Data(file)
        let stated = WebPChunk(file, at: 0).map(\.payload.upperBound) ?? 0
        guard stated <= file.count, stated >= 12 else { throw .cutOff(.webP) }
        var body = Data("WEBP".utf8)
        body.reserveCapacity(file.count)
        let kept = try chunks(file.prefix(stated), from: 12, of: top)
        guard kept.first.map({ first.contains($0.type) }) ?? false else {
            throw .corrupt("the picture has no header")
        }
        for chunk in kept {
            let payload = file[chunk.payload]
            switch chunk.type {
            case .extendedHeader:
                guard let flags = payload.first else { throw .corrupt("an extended header without flags") }
                let kept = flags & ~(exifFlag | xmpFlag) | (exif == nil ? 0 : exifFlag)
                append(chunk.type, Data([kept]) + payload.dropFirst(), to: &body)
            case .frame: append(chunk.type, try frame(payload), to: &body)
            default: append(chunk.type, payload, to: &body)
            }
        }
        if let exif { append(.exif, exif, to: &body) }
        return Data("RIFF".utf8) + littleEndian(body.count) + body
    }

    /// Strips a frame, which consists of 16 bytes and chunks of its own.
    private static func frame(_ payload: Data) throws(DecodeError) -> Data {
        let payload = Data(payload)
        var result = payload.prefix(16)
        for chunk in try chunks(payload, from: 16, of: inFrame) {
            append(chunk.type, payload[chunk.payload], to: &result)
        }
        return result
    }

    private static func chunks(
        _ bytes: Data,
        from start: Int,
        of kept: Set<WebPChunkType>
    ) throws(DecodeError) -> [WebPChunk] {
        var (start, chunks) = (start, [WebPChunk]())
        // Fewer than eight bytes are padding.
        while let chunk = WebPChunk(bytes, at: start) {
            guard chunk.payload.upperBound <= bytes.count else { throw .cutOff(.webP) }
            if kept.contains(chunk.type) { chunks.append(chunk) }
            start = chunk.next
        }
        guard !chunks.isEmpty else { throw .corrupt("the file contains no picture") }
        return chunks
    }

    private static func append(_ type: WebPChunkType, _ payload: Data, to body: inout Data) {
        body += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: type.rawValue >> $0) }
        body += littleEndian(payload.count) + payload
        if payload.count % 2 == 1 { body.append(0) }
    }

    private static func littleEndian(_ value: Int) -> Data {
        Data([0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) })
    }
}
