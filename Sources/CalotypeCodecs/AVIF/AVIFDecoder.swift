public import CalotypeCore
public import FoundationEssentials

/// Decodes AVIF with libavif and dav1d: still images and sequences, frame by frame, with alpha.
///
/// The transformations of the file (`clap`, `irot`, `imir`) are part of the image and always applied. The
/// reported size is the one after them and the orientation is upright; an orientation in Exif is ignored. 10
/// and 12 bits are rounded to 8 unless depth is retained. An ICC profile is converted, and so are colours
/// given by code points, high dynamic range (PQ, HLG) as described at ``DynamicRange``. Files that break
/// rules which browsers do not enforce are accepted: without `pixi`, without `ispe` of the alpha, or with an
/// impossible clean aperture.
///
/// Tiles that do not cover their grid, streams larger than the file states, and more than ten pixels to
/// decode for one of the image are rejected before libavif reads the file.
///
/// A sequence whose brand declares it is animated; it plays forever unless its edit list states otherwise.
/// AV1 has no checksum, so a changed bit may remain undetected.
/// - SeeAlso: AV1 Image File Format 1.1; ISO/IEC 23000-22; libavif 0.11, with one thread a decode.
public struct AVIFDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// AVIF.
    public var formats: [ImageFormat] { [.avif] }

    /// Decodes the thumbnail of the primary image (`thmb`).
    ///
    /// - Throws: `DecodeError` if it is damaged.
    public func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image? {
        var options = options
        options.frames = .first
        let thumbnail = HEIFThumbnail(head, format: .avif, type: ISOBoxType("av01"))
        return try thumbnail.map { (thumbnail) throws(DecodeError) in
            try decode(thumbnail.file, options: options)
        }
    }

    /// Reads the boxes.
    ///
    /// - Throws: `DecodeError` if they are damaged or the image exceeds the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        let file = try Self.file(data, limits: limits)
        let (data, boxes) = (file.data, file.boxes)
        let items = try Self.items(of: data, boxes, limits)
        let track = try AVIFTrack(boxes: boxes, limits: limits)
        return try unsafe data.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            let reader = try unsafe AVIFReader(bytes, limits: limits)
            try reader.check(limits)
            if let items = try Self.itemsForLibHEIF(items, reader, limits) {
                return try unsafe HEICDecoder.info(of: bytes, items: items, limits: limits)
            }
            let durations = Self.durations(track, frameCount: reader.frameCount)
            return ImageInfo(
                format: .avif,
                size: reader.size,
                frameCount: reader.frameCount,
                loopCount: reader.isSequence ? track.loopCount : nil,
                animationDuration: reader.isSequence ? .animation(durations) : nil,
                hasAlpha: reader.hasAlpha,
                hasColorProfile: reader.hasColorProfile,
                bitDepth: reader.bitDepth,
                dynamicRange: reader.dynamicRange,
                pixelFormat: reader.pixelFormat
            )
        }
    }

    /// Decodes the image, or the first frame of a sequence.
    ///
    /// - Throws: `DecodeError`, without pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let file = try Self.file(data, limits: options.limits)
        let (data, boxes) = (file.data, file.boxes)
        let items = try Self.items(of: data, boxes, options.limits)
        let track = try AVIFTrack(boxes: boxes, limits: options.limits)
        return try unsafe data.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            let reader = try unsafe AVIFReader(bytes, limits: options.limits)
            try reader.check(options.limits)
            if let items = try Self.itemsForLibHEIF(items, reader, options.limits) {
                return try unsafe HEICDecoder.decode(bytes, items: items, options: options)
            }
            let plan = DecodePlan(
                reader.size,
                orientation: .up,
                hasColorProfile: reader.hasColorProfile,
                frameCount: reader.frameCount,
                colorSpace: reader.colorSpace,
                isDeep: reader.pixelFormat(keepsDepth: options.keepsDepth).isDeep,
                options: options
            )
            let color = reader.colorTransform(options)
            let first = try reader.decode(frame: 0, keepsDepth: options.keepsDepth, color: color)
            let frames = try Self.frames(of: data, reader, track, plan: plan)
            return try plan.image(from: first, format: .avif, frames: frames)
        }
    }

    private static func file(_ data: Data, limits: DecodeLimits) throws(DecodeError) -> ISOFile {
        try limits.checkInput(data, format: .avif)
        return try ISOFile(data, format: .avif).forLibAVIF()
    }

    // libavif compares all items with one another, and holds a decoder and a frame for each tile.
    /// The maximum number of items: an image of 100 MP has 100 tiles of 1024 × 1024.
    private static let maxItemCount = 256

    /// Reads the items of the file; `nil` if it contains only a sequence.
    private static func items(
        of data: Data,
        _ boxes: [ISOBox],
        _ limits: DecodeLimits
    ) throws(DecodeError) -> HEIFItems? {
        guard boxes.contains(where: { $0.type == .meta }) else { return nil }
        let items = try HEIFItems(data, boxes: boxes, format: .avif)
        guard items.items.count <= maxItemCount else {
            throw DecodeError(
                .limitExceeded,
                format: .avif,
                detail: "\(items.items.count) items, the limit is \(maxItemCount)"
            )
        }
        try items.check(limits, scalesItems: true)
        return items
    }

    /// Returns the frames of a sequence, if they are requested; copies the bytes for them.
    private static func frames(
        of data: Data,
        _ reader: borrowing AVIFReader,
        _ track: AVIFTrack,
        plan: DecodePlan
    ) throws(DecodeError) -> FrameSequence? {
        guard reader.isSequence, plan.options.frames == .all else { return nil }
        let schedule = FrameSchedule(
            durations: durations(track, frameCount: reader.frameCount),
            loopCount: track.loopCount,
            keyFrames: reader.keyFrames
        )
        let options = plan.options
        return FrameSequence(
            schedule: schedule,
            plan: plan,
            format: .avif,
            bytes: try EncodedBytes(data)
        ) { bytes throws(DecodeError) in
            try AVIFFrameReader(bytes, options: options)
        }
    }

    /// Returns one duration for each frame; missing ones count as not stated.
    private static func durations(_ track: AVIFTrack, frameCount: Int) -> [Duration] {
        (0..<frameCount).map { index in
            .frame(stated: index < track.durations.count ? track.durations[index] : nil)
        }
    }

    // libavif 0.11 does not support such alpha, and would decode the image as opaque; and it takes tiles in
    // the order of their identifiers.
    /// Returns the items of a file that libheif has to decode: a grid with alpha at its tiles, or tiles that
    /// are not in the order of their identifiers; `nil` for every other file.
    private static func itemsForLibHEIF(
        _ items: HEIFItems?,
        _ reader: borrowing AVIFReader,
        _ limits: DecodeLimits
    ) throws(DecodeError) -> HEIFItems? {
        guard let items, !reader.isSequence else { return nil }
        guard items.items[items.primary]?.type == ISOBoxType("grid") else { return nil }
        let tiles = items.inputs[items.primary] ?? []
        let hasAlphaInTiles = !reader.hasAlpha && tiles.contains { items.auxiliaries[$0] != nil }
        guard hasAlphaInTiles || tiles != tiles.sorted() else { return nil }
        try items.check(limits)
        return items
    }
}
