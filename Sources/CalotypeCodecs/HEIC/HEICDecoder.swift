public import CalotypeCore
import CalotypeSupport
public import FoundationEssentials

/// Decodes HEIC with libheif and libde265: the primary image, whole or in tiles, and image sequences, with
/// alpha.
///
/// The transformations of the file (`clap`, `irot`, `imir`) are part of the image and always applied. The
/// reported size is the one after them and the orientation is upright; an orientation in Exif is ignored.
/// More than 8 bits are rounded to 8 unless depth is retained. An ICC profile is converted, and so are
/// colours given by code points, high dynamic range (PQ, HLG) as described at ``DynamicRange``.
///
/// A sequence without a still image is animated, and its first frame is the image. A sequence beside a still
/// image is its animation if a brand of the file declares it and both have the same size. It plays forever
/// unless its edit list states otherwise. A damaged sequence is an error, but a request for the still image
/// alone succeeds.
///
/// Before libheif reads the file, these are rejected: circular references, sizes beyond the limits in boxes,
/// grids and streams, more than 2,000 tiles, more than ten pixels to decode for one of the image, tiles that
/// do not cover their grid, and streams of another size than the file states. An image with missing slices is
/// an error. Checksums of the stream are verified if present, and a warning of libde265 about lost samples is
/// an error. In a stream without checksums a changed bit may remain undetected.
///
/// - SeeAlso: ISO/IEC 23008-12, 14496-12; ITU-T H.265; libheif 1.15, libde265 1.0, in the caller's thread.
public struct HEICDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// HEIC.
    public var formats: [ImageFormat] { [.heic] }

    /// Decodes the thumbnail of the primary image (`thmb`).
    ///
    /// - Throws: `DecodeError` if it is damaged.
    public func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image? {
        var options = options
        options.frames = .first
        let thumbnail = HEIFThumbnail(head, format: .heic, type: .hevcImage)
        return try thumbnail.map { (thumbnail) throws(DecodeError) in
            try decode(thumbnail.file, options: options)
        }
    }

    /// Reads the boxes.
    ///
    /// - Throws: `DecodeError` if they are damaged or the image exceeds the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        let file = try Self.file(data, limits)
        let data = file.data
        var info: ImageInfo
        let frames: HEICSequence?
        switch try HEICFile(file, limits: limits, frames: .all) {
        case .still(let items, let sequence):
            info = try unsafe data.bytes.withUnsafeBytes { bytes throws(DecodeError) in
                try unsafe Self.info(of: bytes, items: items, limits: limits)
            }
            frames = sequence?.size == info.size ? sequence : nil
        case .sequence(let sequence):
            info = sequence.info
            frames = sequence
        }
        guard let frames, frames.isAnimated else { return info }
        info.frameCount = frames.frameCount
        info.loopCount = frames.schedule.loopCount
        info.animationDuration = .animation(frames.schedule.durations)
        return info
    }

    /// Decodes the primary image, or the first frame of a sequence without one.
    ///
    /// - Throws: `DecodeError`, without pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let file = try Self.file(data, options.limits)
        let data = file.data
        switch try HEICFile(file, limits: options.limits, frames: options.frames) {
        case .still(let items, let sequence):
            return try unsafe data.bytes.withUnsafeBytes { bytes throws(DecodeError) in
                try unsafe Self.decode(bytes, items: items, sequence: sequence, options: options)
            }
        case .sequence(let sequence):
            let plan = sequence.plan(options)
            let first = try HEICFrameReader(data, sequence, options: options).readFrame(at: 0)
            let frames = try Self.frames(of: data, sequence, plan)
            return try plan.image(from: first, format: .heic, frames: frames)
        }
    }

    private static func file(_ data: Data, _ limits: DecodeLimits) throws(DecodeError) -> ISOFile {
        try limits.checkInput(data, format: .heic)
        let file = try ISOFile(data, format: .heic)
        guard let size = file.sizeOfLast else { return file }
        return try ISOFile(file.patched([size]), format: .heic)
    }

    /// Reads the header of a HEIC or AVIF file whose items have been checked.
    static func info(
        of bytes: UnsafeRawBufferPointer,
        items: HEIFItems,
        limits: DecodeLimits
    ) throws(DecodeError) -> ImageInfo {
        let reader = try unsafe HEIFReader(bytes, items: items)
        try limits.checkSize(reader.size, format: items.format)
        return ImageInfo(
            format: items.format,
            size: reader.size,
            hasAlpha: reader.hasAlpha,
            hasColorProfile: reader.hasColorProfile,
            bitDepth: reader.bitDepth,
            dynamicRange: reader.dynamicRange,
            pixelFormat: reader.pixelFormat
        )
    }

    /// Decodes the primary image of a HEIC or AVIF file whose items have been checked.
    static func decode(
        _ bytes: UnsafeRawBufferPointer,
        items: HEIFItems,
        sequence: HEICSequence? = nil,
        options: DecodeOptions
    ) throws(DecodeError) -> Image {
        let reader = try unsafe HEIFReader(bytes, items: items)
        try options.limits.checkSize(reader.size, format: items.format)
        let frames = sequence?.size == reader.size ? sequence : nil
        let plan = DecodePlan(
            reader.size,
            orientation: .up,
            hasColorProfile: reader.hasColorProfile,
            frameCount: frames?.frameCount ?? 1,
            colorSpace: reader.colorSpace,
            isDeep: reader.pixelFormat(keepsDepth: options.keepsDepth).isDeep,
            options: options
        )
        return try plan.image(
            from: reader.decode(options: options),
            format: items.format,
            frames: try frames.flatMap { (sequence) throws(DecodeError) in
                try Self.frames(of: items.file, sequence, plan)
            },
            isFirstFrame: false
        )
    }

    /// Returns the frames of a sequence, if they are requested; copies the bytes for them.
    private static func frames(
        of file: Data,
        _ sequence: HEICSequence,
        _ plan: DecodePlan
    ) throws(DecodeError) -> FrameSequence? {
        guard sequence.isAnimated, plan.options.frames == .all else { return nil }
        let options = plan.options
        return FrameSequence(
            schedule: sequence.schedule,
            plan: plan,
            format: .heic,
            bytes: try EncodedBytes(file)
        ) { bytes throws(DecodeError) in
            try HEICFrameReader(bytes.data, sequence, options: options)
        }
    }
}

private enum HEICFile {
    case still(HEIFItems, HEICSequence?)
    case sequence(HEICSequence)

    /// The brands of files that are sequences too (ISO/IEC 23008-12 annexes B.3 and B.4).
    private static let brands: Set<ISOBoxType> = Set(["msf1", "hevc", "hevx"].map { ISOBoxType($0) })

    /// Reads the boxes; skips a sequence beside an image if only the first frame is requested.
    init(_ file: ISOFile, limits: DecodeLimits, frames: FrameSelection) throws(DecodeError) {
        let (data, boxes) = (file.data, file.boxes)
        let hasMovie = boxes.contains { $0.type == .movie }
        if hasMovie, !boxes.contains(where: { $0.type == .meta }) {
            guard let sequence = try HEICSequence(boxes, fileByteCount: data.count, limits: limits) else {
                throw DecodeError(
                    .unsupportedFeature,
                    format: .heic,
                    detail: "the file contains no HEVC image or track"
                )
            }
            self = .sequence(sequence)
            return
        }
        let items = try HEIFItems(data, boxes: boxes, format: .heic)
        try items.check(limits)
        guard hasMovie, frames == .all, Self.isSequence(boxes) else {
            self = .still(items, nil)
            return
        }
        self = .still(items, try HEICSequence(boxes, fileByteCount: data.count, limits: limits))
    }

    private static func isSequence(_ boxes: [ISOBox]) -> Bool {
        guard let names = boxes.first(where: { $0.type == ISOBoxType("ftyp") })?.payload else { return false }
        var reader = ByteReader(names)
        while let name = reader.bigEndian(UInt32.self) {
            if brands.contains(ISOBoxType(rawValue: name)) { return true }
        }
        return false
    }
}

extension HEICSequence {
    fileprivate var info: ImageInfo {
        ImageInfo(
            format: .heic,
            size: size,
            hasAlpha: alpha != nil,
            hasColorProfile: color.colors.profile != nil,
            bitDepth: color.bitDepth,
            dynamicRange: dynamicRange,
            pixelFormat: pixelFormat
        )
    }

    fileprivate func plan(_ options: DecodeOptions) -> DecodePlan {
        DecodePlan(
            size,
            orientation: .up,
            hasColorProfile: color.colors.profile != nil,
            frameCount: frameCount,
            colorSpace: colorSpace,
            options: options
        )
    }
}
