import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// A JPEG inside another file that shows the image of that file: a thumbnail, or the preview of a raw.
struct EmbeddedJPEG {
    /// Its bytes, and perhaps some behind it.
    let bytes: Data
    /// Width and height as stored.
    let size: PixelSize
    /// The orientation that the file around it states; `nil` for that of the JPEG itself.
    var orientation: Orientation?

    /// The most segments before the pixels; Exif, profiles and previews of cameras take some fifty.
    private static let segmentCountMax = 200

    /// Looks at the part of a file for a JPEG that can be decoded; fails where there is none, or not all of
    /// it has come.
    ///
    /// Raws keep their own samples in a lossless kind of JPEG, which is none of these.
    init?(_ file: Data, _ range: Range<Int>?) {
        guard let range, range.lowerBound >= 0, range.upperBound <= file.count else { return nil }
        // At the first position, where readers that count from 0 find them.
        let part = Data(file.dropFirst(range.lowerBound).prefix(range.count))
        guard part.starts(with: [0xFF, 0xD8, 0xFF]), let size = Self.frameSize(part) else { return nil }
        (bytes, self.size) = (part, size)
    }

    /// The size in the header of a frame: baseline, extended or progressive, of 8 bits.
    private static func frameSize(_ jpeg: Data) -> PixelSize? {
        var segments = JPEGSegments(jpeg)
        for _ in 0..<segmentCountMax {
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

    /// The facts in its header, as those of a file of another format.
    func info(_ format: ImageFormat, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        do throws(DecodeError) {
            var info = try JPEGDecoder().info(of: bytes, limits: limits)
            info.format = format
            info.orientation = orientation ?? info.orientation
            return info
        } catch {
            throw DecodeError(error.code, format: format, detail: "the JPEG inside: \(error.detail)")
        }
    }

    /// Decodes it as the image of a file of another format.
    ///
    /// - Parameters:
    ///   - format: The format of the file around it.
    ///   - options: What the decode should give.
    ///   - picture: The size of the picture that it shows, where that is known: what it has beside the
    ///     picture is cut off.
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
            throw DecodeError(error.code, format: format, detail: "the JPEG inside: \(error.detail)")
        }
    }
}

extension PixelSize {
    /// The middle of the picture that has the proportions of another; itself where both are the same to
    /// within a pixel.
    ///
    /// Thumbnails of Exif have 160 × 120 pixels, whatever the camera's picture has, with black beside it.
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

    /// Starts behind the start of the image.
    ///
    /// - Parameters:
    ///   - jpeg: The file.
    ///   - passesPadding: Whether bytes between segments and markers that stand alone are passed over, as
    ///     libjpeg does: all of the file may be looked at then.
    init(_ jpeg: Data, passingPadding passesPadding: Bool = false) {
        file = jpeg
        self.passesPadding = passesPadding
    }

    /// The next segment that is whole; `nil` at the first scan, and where none begins.
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
