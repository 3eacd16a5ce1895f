public import CalotypeCore
public import FoundationEssentials

/// Decodes AVIF with libavif and dav1d: still images and sequences, frame by frame, with alpha.
///
/// The transformations of the file (`clap`, `irot`, `imir`) are part of the picture and always applied, so
/// the size is that after them and the orientation upright; an orientation in Exif is not looked at. 10 and
/// 12 bits are rounded to 8 unless depth is kept. An ICC profile is converted, and so are colours that are
/// named by codes, high dynamic range (PQ, HLG) as ``DynamicRange`` tells. A file is taken that breaks rules
/// which browsers do not insist on: no `pixi`, no `ispe` of the alpha, a clean aperture that cannot be.
///
/// Tiles that do not cover their grid, streams larger than the file says, and more than ten pixels to decode
/// for one of the picture are refused before libavif sees the file.
///
/// A sequence whose brand says so is animated; it plays for ever unless its edit list says otherwise. AV1 has
/// no check sum, so a changed bit may go unnoticed.
///
/// - SeeAlso: AV1 Image File Format 1.1; ISO/IEC 23000-22; libavif 0.11, with one thread a decode.
public struct AVIFDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// AVIF.
    public var formats: [ImageFormat] { [.avif] }

    /// The thumbnail of the primary image (`thmb`).
    ///
    /// - Throws: `DecodeError` where it is damaged.
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
    /// - Throws: `DecodeError` where they are damaged or the image is beyond the limits.
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
    /// - Throws: `DecodeError`; then there are no pixels.
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

    // libavif compares all items with all, and keeps a decoder and a frame for each tile.
    /// The most items: a picture of 100 MP has 100 tiles of 1024 × 1024.
    private static let itemCountMax = 256

    /// The items of the file; `nil` where it has a sequence only.
    private static func items(
        of data: Data,
        _ boxes: [ISOBox],
        _ limits: DecodeLimits
    ) throws(DecodeError) -> HEIFItems? {
        guard boxes.contains(where: { $0.type == .meta }) else { return nil }
        let items = try HEIFItems(data, boxes: boxes, format: .avif)
        guard items.items.count <= itemCountMax else {
            throw DecodeError(
                .limitExceeded,
                format: .avif,
                detail: "\(items.items.count) items, the limit is \(itemCountMax)"
            )
        }
        try items.check(limits, scalesItems: true)
        return items
    }

    /// The frames of a sequence, where they are wanted; the bytes are copied for them.
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
            try AVIFFrames(bytes, options: options)
        }
    }

    /// One for each frame; what the file leaves out counts as not stated.
    private static func durations(_ track: AVIFTrack, frameCount: Int) -> [Duration] {
        (0..<frameCount).map { index in
            .frame(stated: index < track.durations.count ? track.durations[index] : nil)
        }
    }

    // libavif 0.11 does not know such alpha, and would give the picture as opaque; and it takes tiles in the
    // order of their identifiers.
    /// The items of a file whose picture is a grid with the alpha at its tiles, or of tiles that are not in
    /// the order of their identifiers, to be decoded by libheif; `nil` for every other file.
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
