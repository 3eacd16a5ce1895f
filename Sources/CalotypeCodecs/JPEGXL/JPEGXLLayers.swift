import CCodecs
import CalotypeCore
import FoundationEssentials

/// What the heads of a file's frames tell: how many images they make, how long each is shown, and what
/// decoding them would cost.
///
/// Read without pixels, and checked against the limits while it is read: the frames that are shown, their
/// layers, and those that only serve others, which libjxl decodes without a word.
struct JPEGXLLayers {
    /// `nil` until it has come.
    private(set) var header: cc_jxl_header?
    /// Whether the head of the last layer has been read.
    private(set) var areAllRead = false

    private let limits: DecodeLimits
    /// Where the next frame begins in the codestream.
    private var offset = 0
    private var durations: [Duration] = []
    private var keyFrames: [Int] = []
    /// Frames of every kind.
    private var count = 0
    private var pixelCount = 0
    /// Those since the last that was shown: layers, and frames that serve them.
    private var layerPixelCount = 0
    private var hiddenPixelCount = 0
    private var startsFrame = true

    /// Channels of a frame at the limit; of smaller frames there may be as many more.
    private static let channelCountMax = 8
    /// Pixels that serve a small image without being shown; those that serve a larger one may be as many as
    /// its own.
    private static let hiddenPixelCountMin = 1 << 20

    init(limits: DecodeLimits) {
        self.limits = limits
    }

    /// Reads on to the last layer.
    ///
    /// - Parameter codestream: What has come of it, from its first byte.
    /// - Returns: The header.
    /// - Throws: `DecodeError`, with `truncated` where more bytes are needed: then what has come counts,
    ///   and it goes on from there.
    @discardableResult
    mutating func read(_ codestream: Data) throws(DecodeError) -> cc_jxl_header {
        let header = if let header { header } else { try readHeader(codestream) }
        while !areAllRead { try readFrame(codestream, header) }
        return header
    }

    /// The number of frames that are shown, so far.
    var frameCount: Int { max(1, durations.count) }

    /// The frames of an animation; `nil` for a still.
    var schedule: FrameSchedule? {
        guard let header, header.is_animated != 0, durations.count > 1 else { return nil }
        // Decoding can start at the first frame whatever it says of itself.
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

    /// Where the preview ends, which comes before the frames and is not decoded.
    private func end(ofPreviewIn codestream: Data, _ header: cc_jxl_header) throws(DecodeError) -> Int {
        let start = Int(header.byte_count)
        let size = PixelSize(width: Int(header.preview_width), height: Int(header.preview_height))
        guard !size.isEmpty else { return start }
        var bits = JPEGXLBits(codestream, at: start)
        let head = try JPEGXLFrameHead(&bits, of: header, canvas: size)
        try check(head.size, header)
        return try head.readSectionByteCount(&bits) + bits.byteOffset
    }

    private mutating func readFrame(_ codestream: Data, _ header: cc_jxl_header) throws(DecodeError) {
        var bits = JPEGXLBits(codestream, at: offset)
        let head = try JPEGXLFrameHead(&bits, of: header, canvas: header.size)
        try check(head.size, header)
        // The sections of the last frame need not be known: nothing follows.
        let sectionByteCount = head.isLast ? 0 : try head.readSectionByteCount(&bits)
        try add(head, header)
        offset = bits.byteOffset + sectionByteCount
        areAllRead = head.isLast
    }

    private mutating func add(_ head: JPEGXLFrameHead, _ header: cc_jxl_header) throws(DecodeError) {
        try addPixels(head, header.size)
        guard !head.isHidden else { return }
        if startsFrame, head.isOpaque { keyFrames.append(durations.count) }
        startsFrame = head.ticks > 0 || head.isLast
        guard startsFrame else { return }
        durations.append(.frame(stated: header.duration(ticks: UInt32(head.ticks))))
        try limits.checkSize(header.size, frameCount: durations.count, format: .jpegXL)
        (layerPixelCount, hiddenPixelCount) = (0, 0)
    }

    /// An image may be made of any number of layers, and served by any number of other frames.
    private mutating func addPixels(_ head: JPEGXLFrameHead, _ canvas: PixelSize) throws(DecodeError) {
        let added = head.size.pixelCount
        count += 1
        try check(count, "frames and layers", limits.frameCountMax)
        if head.isHidden {
            hiddenPixelCount += added
            let most = max(canvas.pixelCount, Self.hiddenPixelCountMin)
            try check(hiddenPixelCount, "pixels that are not shown", most)
        } else {
            layerPixelCount += added
            try check(layerPixelCount, "pixels in the layers of a frame", limits.pixelCountMax)
        }
        pixelCount += added
        if count > 1 { try check(pixelCount, "pixels in \(count) frames", limits.framePixelCountMax) }
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

    /// The library decodes each channel of a layer as 4 bytes a pixel, those too that are not shown.
    private func check(_ size: PixelSize, _ header: cc_jxl_header) throws(DecodeError) {
        try limits.checkSize(size, format: .jpegXL)
        let channelCount = max(1, Int(header.channel_count))
        guard size.pixelCount / Self.channelCountMax <= limits.pixelCountMax / channelCount else {
            throw DecodeError(
                .limitExceeded,
                format: .jpegXL,
                detail: "\(size) pixels in \(channelCount) channels, the limit is \(limits.pixelCountMax) in "
                    + "\(Self.channelCountMax)"
            )
        }
    }
}
