import CCodecs
import CalotypeCore

/// What the heads of a file's layers tell: how many frames they make, how long each is shown, and what
/// decoding them would cost.
///
/// Read without pixels, and checked against the limits while it is read.
struct JPEGXLLayers: ~Copyable {
    /// `nil` until it has come.
    private(set) var header: cc_jxl_header?
    /// Whether the head of the last layer has been read.
    private(set) var areAllRead = false

    private let reader: JPEGXLReader
    private let limits: DecodeLimits
    private var durations: [Duration] = []
    private var keyFrames: [Int] = []
    private var layerCount = 0
    private var layerPixelCount = 0
    private var startsFrame = true

    /// Channels of a frame at the limit; of smaller frames there may be as many more.
    private static let channelCountMax = 8

    init(limits: DecodeLimits) throws(DecodeError) {
        reader = try JPEGXLReader(.layers)
        self.limits = limits
    }

    /// Reads on to the last layer.
    ///
    /// - Parameter bytes: What has come of the file, from its first byte.
    /// - Returns: The header.
    /// - Throws: ``DecodeError``, with `truncated` where more bytes are needed: then what has come counts,
    ///   and it goes on from there.
    @discardableResult
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) -> cc_jxl_header {
        let header = if let header { header } else { try unsafe readHeader(bytes) }
        while !areAllRead {
            try add(unsafe reader.readLayer(bytes), header)
        }
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

    private mutating func readHeader(_ bytes: UnsafeRawBufferPointer) throws(DecodeError) -> cc_jxl_header {
        let header = try unsafe reader.readHeader(bytes)
        try check(header.size, header)
        self.header = header
        return header
    }

    private mutating func add(_ layer: cc_jxl_layer, _ header: cc_jxl_header) throws(DecodeError) {
        let size = PixelSize(width: Int(layer.width), height: Int(layer.height))
        layerCount += 1
        try check(size, header)
        try checkTotal(adding: size)
        if startsFrame, layer.is_opaque != 0 { keyFrames.append(durations.count) }
        startsFrame = layer.is_shown != 0
        if startsFrame {
            durations.append(.frame(stated: header.duration(ticks: layer.ticks)))
            try limits.checkSize(header.size, frameCount: durations.count, format: .jpegXL)
        }
        areAllRead = layer.is_last != 0
    }

    /// A frame may be made of any number of layers, each of any size.
    private mutating func checkTotal(adding size: PixelSize) throws(DecodeError) {
        guard layerCount <= limits.frameCountMax else {
            throw DecodeError(
                .limitExceeded,
                format: .jpegXL,
                detail: "more than \(limits.frameCountMax) layers, the limit of frames"
            )
        }
        guard layerCount == 1 || size.pixelCount <= limits.framePixelCountMax - layerPixelCount else {
            throw DecodeError(
                .limitExceeded,
                format: .jpegXL,
                detail: "\(layerCount) layers, the limit is \(limits.framePixelCountMax) pixels"
            )
        }
        layerPixelCount += size.pixelCount
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
