import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The parsed chunks of a WebP file, in one pass that continues when more bytes have arrived.
///
/// The flags of VP8X are ignored: the existing chunks decide.
///
/// - SeeAlso: RFC 9649 section 2.
struct WebPContainer {
    /// The size of the canvas, if VP8X states it.
    private(set) var canvas: PixelSize?
    /// The loop count in ANIM; infinite if it is missing.
    private(set) var loopCount = LoopCount.infinite
    private(set) var frames: [WebPFrame] = []
    /// The colour profile of the first ICCP chunk.
    private(set) var profile: Range<Int>?
    /// The payload of the first EXIF chunk.
    private(set) var exif: Range<Int>?
    /// True if all bytes claimed by the header have arrived and been read.
    private(set) var isWhole = false
    /// The file size required to continue.
    private(set) var neededByteCount = 12

    private var search = WebPBitstreamSearch()
    /// The start of the next chunk.
    private var offset = 12
    /// The end claimed by the header; 0 before it is read.
    private var end = 0
    private var otherChunkCount = 0

    /// The limit of unknown chunks: a file of nothing but empty chunks would take long.
    private static let maxOtherChunkCount = 10_000

    /// The picture of a still, as soon as its header is available.
    var still: WebPBitstream? { search.found }

    /// Parses the chunks that are complete.
    ///
    /// Bytes after the end claimed by the header are ignored.
    ///
    /// - Parameters:
    ///   - file: All available bytes from the start of the file.
    ///   - limits: Checked as soon as a size is claimed.
    /// - Throws: `DecodeError` if the file is damaged or exceeds the limits.
    mutating func read(_ file: Data, limits: DecodeLimits) throws(DecodeError) {
        if end == 0 {
            try readHeader(file)
            guard end > 0 else { return }
        }
        while end - offset >= 8 {
            neededByteCount = offset + 8
            guard let chunk = WebPChunk(file, at: offset) else { return }
            guard chunk.payload.upperBound <= end else {
                // A still is complete then; the library ignores such a chunk too.
                guard still != nil, frames.isEmpty else {
                    throw .corrupt("a chunk at \(offset) exceeds the file")
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
        guard form.elementsEqual("WEBP".utf8) else { throw .corrupt("the RIFF file is not WebP") }
        guard byteCount >= 12 else { throw .corrupt("the header claims \(byteCount) bytes") }
        end = 8 + Int(byteCount)
    }

    /// The header of a still is parsed before all of it has arrived.
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
            guard frames.count < limits.maxReadFrameCount(of: canvas) else { return }
            try limits.checkSize(canvas, frameCount: frames.count + 1, format: .webP)
            frames.append(try WebPFrame(chunk, in: file, canvas: canvas))
        case .profile where profile == nil: profile = chunk.payload
        case .exif where exif == nil: exif = chunk.payload
        default:
            otherChunkCount += 1
            guard otherChunkCount <= Self.maxOtherChunkCount else {
                throw DecodeError(
                    .limitExceeded,
                    format: .webP,
                    detail: "more than \(Self.maxOtherChunkCount) unknown chunks"
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
