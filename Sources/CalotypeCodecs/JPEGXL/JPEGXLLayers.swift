import CCodecs
import CalotypeCore
import FoundationEssentials

/// The number of images, the durations and the cost of a file, read from the headers of its frames.
///
/// Read without pixels, and checked against the limits meanwhile: shown frames, their layers, and auxiliary
/// frames, which libjxl decodes without reporting them.
struct JPEGXLLayers {
    /// `nil` until it has arrived.
    private(set) var header: cc_jxl_header?
    /// True if the header of the last layer has been read, or the limits truncate the animation here.
    private(set) var areAllRead = false

    private let limits: DecodeLimits
    /// The offset of the next frame in the codestream.
    private var offset = 0
    private var durations: [Duration] = []
    private var keyFrames: [Int] = []
    private var count = 0
    private var pixelCount = 0
    /// The pixels since the last shown frame: those of layers, and of auxiliary frames.
    private var layerPixelCount = 0
    private var hiddenPixelCount = 0
    private var startsFrame = true

    /// The maximum channels of a frame at the limit of pixels; smaller frames may have proportionally more.
    private static let maxChannelCount = 8
    /// The maximum hidden pixels for a small image; for a larger image, the maximum is its own number of
    /// pixels.
    private static let minHiddenPixelCount = 1 << 20

    init(limits: DecodeLimits) {
        self.limits = limits
    }

    /// Reads on to the last layer.
    ///
    /// - Parameter codestream: The available part, from the first byte.
    /// - Returns: The header.
    /// - Throws: `DecodeError`, with `truncated` if more bytes are needed; the progress so far is retained.
    @discardableResult
    mutating func read(_ codestream: Data) throws(DecodeError) -> cc_jxl_header {
        let header = if let header { header } else { try readHeader(codestream) }
        while !areAllRead { try readFrame(codestream, header) }
        return header
    }

    /// The number of shown frames so far.
    var frameCount: Int { max(1, durations.count) }

    /// The frames of an animation; `nil` for a still.
    var schedule: FrameSchedule? {
        guard let header, header.is_animated != 0, durations.count > 1 else { return nil }
        // Decoding can always start at the first frame.
        let keys = keyFrames.first == 0 ? keyFrames : [0] + keyFrames
        return FrameSchedule(durations: durations, loopCount: header.loops, keyFrames: keys)
    }

    private mutating func readHeader(_ codestream: Data) throws(DecodeError) -> cc_jxl_header {
        let reader = try JPEGXLReader(.header)
        let header = try unsafe codestream.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            try unsafe reader.readHeader(bytes)
        }
        try check(header.size, header)
        offset = try end(ofPreviewIn: codestream, header)
        self.header = header
        return header
    }

    /// Returns the end of the preview, which precedes the frames and is not decoded.
    private func end(ofPreviewIn codestream: Data, _ header: cc_jxl_header) throws(DecodeError) -> Int {
        let start = Int(header.byte_count)
        let size = PixelSize(width: Int(header.preview_width), height: Int(header.preview_height))
        guard !size.isEmpty else { return start }
        var bits = JPEGXLBits(codestream, at: start)
        let head = try JPEGXLFrameHeader(&bits, of: header, canvas: size)
        try check(head.size, header)
        return try head.readSectionByteCount(&bits) + bits.byteOffset
    }

    private mutating func readFrame(_ codestream: Data, _ header: cc_jxl_header) throws(DecodeError) {
        var bits = JPEGXLBits(codestream, at: offset)
        let head = try JPEGXLFrameHeader(&bits, of: header, canvas: header.size)
        try check(head.size, header)
        // The sections of the last frame are not needed, since nothing follows.
        let sectionByteCount = head.isLast ? 0 : try head.readSectionByteCount(&bits)
        try add(head, header)
        offset = bits.byteOffset + sectionByteCount
        let isTruncated = startsFrame && durations.count >= limits.maxReadFrameCount(of: header.size)
        areAllRead = head.isLast || isTruncated
    }

    private mutating func add(_ head: JPEGXLFrameHeader, _ header: cc_jxl_header) throws(DecodeError) {
        try addPixels(head, header.size)
        guard !head.isHidden else { return }
        if startsFrame, head.isOpaque { keyFrames.append(durations.count) }
        startsFrame = head.ticks > 0 || head.isLast
        guard startsFrame else { return }
        durations.append(.frame(stated: header.duration(ticks: UInt32(head.ticks))))
        try limits.checkSize(header.size, frameCount: durations.count, format: .jpegXL)
        (layerPixelCount, hiddenPixelCount) = (0, 0)
    }

    /// An image may consist of any number of layers and auxiliary frames.
    private mutating func addPixels(_ head: JPEGXLFrameHeader, _ canvas: PixelSize) throws(DecodeError) {
        let added = head.size.pixelCount
        count += 1
        try check(count, "frames and layers", limits.maxListedFrameCount)
        if head.isHidden {
            hiddenPixelCount += added
            let most = max(canvas.pixelCount, Self.minHiddenPixelCount)
            try check(hiddenPixelCount, "pixels that are not shown", most)
        } else {
            layerPixelCount += added
            try check(layerPixelCount, "pixels in the layers of a frame", limits.maxPixelCount)
        }
        pixelCount += added
        if count > 1 { try check(pixelCount, "pixels in \(count) frames", limits.maxFramePixelCount) }
    }

    private func check(_ count: Int, _ things: String, _ most: Int) throws(DecodeError) {
        guard count <= most else {
            throw DecodeError(
                .limitExceeded,
                format: .jpegXL,
                detail: "\(count) \(things), the limit is \(most)"
            )
        }
    }

    /// The library decodes each channel of a layer to 4 bytes a pixel, including hidden channels.
    private func check(_ size: PixelSize, _ header: cc_jxl_header) throws(DecodeError) {
        try limits.checkSize(size, format: .jpegXL)
        let channelCount = max(1, Int(header.channel_count))
        guard size.pixelCount / Self.maxChannelCount <= limits.maxPixelCount / channelCount else {
            throw DecodeError(
                .limitExceeded,
                format: .jpegXL,
                detail: "\(size) pixels in \(channelCount) channels, the limit is \(limits.maxPixelCount) in "
                    + "\(Self.maxChannelCount)"
            )
        }
    }
}
