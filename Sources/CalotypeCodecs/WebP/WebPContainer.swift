import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// What the chunks of a WebP file tell, read in one walk that goes on when more bytes have come.
///
/// The flags of VP8X are not believed: what counts is which chunks are there.
///
/// - SeeAlso: RFC 9649 section 2.
struct WebPContainer {
    /// Width and height of the canvas, where VP8X is there to tell.
    private(set) var canvas: PixelSize?
    /// What ANIM tells; for ever where it is missing.
    private(set) var loopCount = LoopCount.infinite
    private(set) var frames: [WebPFrame] = []
    /// The colour profile of the first ICCP chunk.
    private(set) var profile: Range<Int>?
    /// The payload of the first EXIF chunk.
    private(set) var exif: Range<Int>?
    /// Whether all bytes that the header claims are there and have been read.
    private(set) var isWhole = false
    /// How long the file has to be for the walk to go on.
    private(set) var neededByteCount = 12

    private var search = WebPBitstreamSearch()
    /// Where the next chunk starts.
    private var offset = 12
    /// The end that the header claims; 0 before it is read.
    private var end = 0
    private var otherChunkCount = 0

    /// A file of nothing but empty chunks would take long.
    private static let otherChunkCountMax = 10_000

    /// The picture of a still, as soon as its head is there.
    var still: WebPBitstream? { search.found }

    /// Walks over the chunks that are whole by now.
    ///
    /// Bytes after the end that the header claims are not looked at.
    ///
    /// - Parameters:
    ///   - file: All bytes from the start of the file that are there.
    ///   - limits: Checked as soon as something is claimed.
    /// - Throws: `DecodeError` where the file is damaged or beyond the limits.
    mutating func read(_ file: Data, limits: DecodeLimits) throws(DecodeError) {
        if end == 0 {
            try readHeader(file)
            guard end > 0 else { return }
        }
        while end - offset >= 8 {
            neededByteCount = offset + 8
            guard let chunk = WebPChunk(file, at: offset) else { return }
            guard chunk.payload.upperBound <= end else {
                // Of a still nothing is missing then; the library does not look there either.
                guard still != nil, frames.isEmpty else {
                    throw .corrupt("a chunk at \(offset) reaches over the end of the file")
                }
                offset = end
                break
            }
            neededByteCount = chunk.payload.lowerBound + min(WebPBitstream.headByteCount, chunk.payload.count)
            guard neededByteCount <= file.count else { return }
            try readBitstreamHead(chunk, in: file, limits)
            neededByteCount = chunk.payload.upperBound
            guard neededByteCount <= file.count else { return }
            try take(chunk, in: file, limits)
            offset = chunk.next
        }
        isWhole = file.count >= end
        neededByteCount = isWhole ? .max : end
    }

    private mutating func readHeader(_ file: Data) throws(DecodeError) {
        var reader = ByteReader(file)
        let riff = reader.bytes(min(4, file.count)) ?? Data()
        guard "RIFF".utf8.starts(with: riff) else { throw .corrupt("the file does not start with RIFF") }
        guard let byteCount = reader.littleEndian(UInt32.self), let form = reader.bytes(4) else { return }
        guard form.elementsEqual("WEBP".utf8) else { throw .corrupt("a RIFF file that is not WebP") }
        guard byteCount >= 12 else { throw .corrupt("the header claims \(byteCount) bytes") }
        end = 8 + Int(byteCount)
    }

    /// The picture of a still is known before all of it is there.
    private mutating func readBitstreamHead(
        _ chunk: WebPChunk,
        in file: Data,
        _ limits: DecodeLimits
    ) throws(DecodeError) {
        guard still == nil else { return }
        try search.take(chunk, in: file)
        guard let still else { return }
        try limits.checkSize(still.size, format: .webP)
        if let canvas, frames.isEmpty, canvas != still.size {
            throw .corrupt("a picture of \(still.size) pixels on a canvas of \(canvas)")
        }
    }

    private mutating func take(
        _ chunk: WebPChunk,
        in file: Data,
        _ limits: DecodeLimits
    ) throws(DecodeError) {
        switch chunk.type {
        case .extendedHeader where canvas == nil: try readCanvas(chunk, in: file, limits)
        case .animation: readLoopCount(chunk, in: file)
        case .frame:
            guard let canvas else { throw .corrupt("a frame without a canvas") }
            try limits.checkSize(canvas, frameCount: frames.count + 1, format: .webP)
            frames.append(try WebPFrame(chunk, in: file, canvas: canvas))
        case .profile where profile == nil: profile = chunk.payload
        case .exif where exif == nil: exif = chunk.payload
        default:
            otherChunkCount += 1
            guard otherChunkCount <= Self.otherChunkCountMax else {
                throw DecodeError(
                    .limitExceeded,
                    format: .webP,
                    detail: "more than \(Self.otherChunkCountMax) chunks that mean nothing"
                )
            }
        }
    }

    private mutating func readCanvas(
        _ chunk: WebPChunk,
        in file: Data,
        _ limits: DecodeLimits
    ) throws(DecodeError) {
        var reader = ByteReader(file.dropFirst(chunk.payload.lowerBound).prefix(chunk.payload.count))
        guard reader.bytes(4) != nil, let width = reader.littleEndian24(),
            let height = reader.littleEndian24()
        else { throw .corrupt("a VP8X chunk of \(chunk.payload.count) bytes") }
        let size = PixelSize(width: width + 1, height: height + 1)
        try limits.checkSize(size, format: .webP)
        canvas = size
    }

    private mutating func readLoopCount(_ chunk: WebPChunk, in file: Data) {
        var reader = ByteReader(file.dropFirst(chunk.payload.lowerBound).prefix(chunk.payload.count))
        guard reader.bytes(4) != nil, let count = reader.littleEndian(UInt16.self), count > 0 else { return }
        loopCount = .times(Int(count))
    }
}
