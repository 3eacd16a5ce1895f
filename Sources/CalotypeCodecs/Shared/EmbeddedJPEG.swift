import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// A JPEG embedded in a file whose image it shows: a thumbnail, or the preview of a camera raw.
struct EmbeddedJPEG {
    /// Its bytes, possibly followed by others.
    let bytes: Data
    let size: PixelSize
    /// The orientation stated by the outer file; `nil` to use that of the JPEG.
    var orientation: Orientation?

    /// The maximum number of segments before the pixels; Exif, profiles and previews of cameras take about
    /// fifty.
    private static let maxSegmentCount = 200

    /// Searches a range of a file for a decodable JPEG; fails if there is none, or it is incomplete.
    ///
    /// Camera raws store their own samples in lossless JPEG, which does not count.
    init?(_ file: Data, _ range: Range<Int>?) {
        guard let range, range.lowerBound >= 0, range.upperBound <= file.count else { return nil }
        // At offset 0, which readers that count from 0 require.
        let part = Data(file.dropFirst(range.lowerBound).prefix(range.count))
        guard part.starts(with: [0xFF, 0xD8, 0xFF]), let size = Self.frameSize(part) else { return nil }
        (bytes, self.size) = (part, size)
    }

    /// Returns the size in a frame header: baseline, extended or progressive, of 8 bits.
    private static func frameSize(_ jpeg: Data) -> PixelSize? {
        var segments = JPEGSegments(jpeg)
        for _ in 0..<maxSegmentCount {
            guard let segment = segments.next() else { return nil }
            guard [0xC0, 0xC1, 0xC2].contains(segment.marker) else { continue }
            var reader = ByteReader(segment.payload)
            guard reader.bigEndian(UInt8.self) == 8, let height = reader.bigEndian(UInt16.self),
                let width = reader.bigEndian(UInt16.self), width > 0, height > 0
            else { return nil }
            return PixelSize(width: Int(width), height: Int(height))
        }
        return nil
    }

    /// Reads its header as that of a file of another format.
    func info(_ format: ImageFormat, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        do throws(DecodeError) {
            var info = try JPEGDecoder().info(of: bytes, limits: limits)
            info.format = format
            info.orientation = orientation ?? info.orientation
            return info
        } catch {
            throw DecodeError(error.code, format: format, detail: "embedded JPEG: \(error.detail)")
        }
    }

    /// Decodes it as the image of a file of another format.
    ///
    /// - Parameters:
    ///   - format: The format of the outer file.
    ///   - options: The options of the decode.
    ///   - picture: The size of the image that it shows, if known; borders beside that image are cut off.
    /// - Returns: The image.
    /// - Throws: `DecodeError`.
    func image(
        _ format: ImageFormat,
        options: DecodeOptions,
        showing picture: PixelSize? = nil
    ) throws(DecodeError) -> Image {
        do throws(DecodeError) {
            try options.limits.checkInput(bytes, format: format)
            return try unsafe bytes.bytes.withUnsafeBytes { bytes throws(DecodeError) in
                let reader = try unsafe JPEGReader(bytes)
                try options.limits.checkSize(reader.size, format: format)
                let whole = DecodePlan(
                    reader.size,
                    orientation: orientation ?? reader.exif.orientation ?? .up,
                    hasColorProfile: reader.hasColorProfile,
                    options: options
                )
                guard let part = picture.map({ reader.size.middle(ofRatioOf: $0) }), part != reader.size
                else {
                    let decoded = try reader.decode(eighths: whole.eighths, options: options)
                    return try whole.image(from: decoded, format: format)
                }
                let plan = DecodePlan(
                    part,
                    orientation: whole.metadata.orientation,
                    hasColorProfile: reader.hasColorProfile,
                    options: options
                )
                let cut = try reader.decode(eighths: 8, options: options).cropped(
                    x: (reader.size.width - part.width) / 2,
                    y: (reader.size.height - part.height) / 2,
                    to: part
                )
                return try plan.image(from: cut, format: format)
            }
        } catch {
            throw DecodeError(error.code, format: format, detail: "embedded JPEG: \(error.detail)")
        }
    }
}

extension PixelSize {
    /// Returns the central part in the proportions of another size, or the size itself if both agree to
    /// within a pixel.
    ///
    /// Exif thumbnails have 160 × 120 pixels for images of any proportions, with black borders.
    fileprivate func middle(ofRatioOf picture: PixelSize) -> PixelSize {
        guard !isEmpty, !picture.isEmpty else { return self }
        let scale = min(
            Double(width) / Double(picture.width),
            Double(height) / Double(picture.height)
        )
        let (across, down) = (Double(picture.width) * scale, Double(picture.height) * scale)
        return PixelSize(
            width: Double(width) - across < 1.5 ? width : max(1, Int(across)),
            height: Double(height) - down < 1.5 ? height : max(1, Int(down))
        )
    }
}

/// The segments of a JPEG up to its first scan (ITU-T T.81 section B.1.1).
struct JPEGSegments: Sequence, IteratorProtocol {
    struct Segment {
        let marker: UInt8
        let payload: Data
    }

    private let file: Data
    private let passesPadding: Bool
    private var offset = 2

    /// Starts after the start marker.
    ///
    /// - Parameters:
    ///   - jpeg: The file.
    ///   - passesPadding: True to skip bytes between segments and standalone markers, like libjpeg; this may
    ///     scan the whole file.
    init(_ jpeg: Data, passingPadding passesPadding: Bool = false) {
        file = jpeg
        self.passesPadding = passesPadding
    }

    /// Returns the next complete segment; `nil` at the first scan, or if no segment begins.
    mutating func next() -> Segment? {
        let file = file
        let bytes = file.span
        guard let marker = nextMarker(bytes), marker >= 0xC0, !(0xD0...0xDA).contains(marker),
            offset + 2 <= bytes.count
        else { return nil }
        let byteCount = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
        guard byteCount >= 2, byteCount <= bytes.count - offset else { return nil }
        defer { offset += byteCount }
        return Segment(marker: marker, payload: file.dropFirst(offset + 2).prefix(byteCount - 2))
    }

    /// The number of components of the first scan; `nil` before all segments have been read, or if none
    /// begins.
    var scanComponentCount: Int? {
        let bytes = file.span
        guard offset >= 2, offset + 2 < bytes.count, bytes[offset - 1] == 0xDA else { return nil }
        return Int(bytes[offset + 2])
    }

    private mutating func nextMarker(_ bytes: Span<UInt8>) -> UInt8? {
        while offset < bytes.count {
            guard bytes[offset] == 0xFF else {
                guard passesPadding else { return nil }
                offset += 1
                continue
            }
            // Fill bytes, section B.1.1.2.
            while offset < bytes.count, bytes[offset] == 0xFF { offset += 1 }
            guard offset < bytes.count else { return nil }
            let marker = bytes[offset]
            offset += 1
            let standsAlone = marker <= 0x01 || (0xD0...0xD7).contains(marker)
            if !standsAlone || !passesPadding { return marker }
        }
        return nil
    }
}
