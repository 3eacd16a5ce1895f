import CCodecs
import CalotypeCore
import FoundationEssentials

/// An image sequence (ISO/IEC 23008-12 section 7): its track of pictures, and its track of alpha.
struct HEICSequence {
    let color: HEVCTrack
    let alpha: HEVCTrack?
    let orientation: Orientation
    let schedule: FrameSchedule

    private static let pictures = [ISOBoxType("pict"), ISOBoxType("vide")]
    private static let codecs: [ISOBoxType] = [.hevcImage, .hevcImageWithSets]
    private static let auxiliaries = ISOBoxType("auxv")
    /// The names of auxiliary tracks with alpha.
    private static let alphaNames = [
        "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
    ]

    /// Reads the first independent HEVC track of images; `nil` without one.
    init?(_ boxes: [ISOBox], fileByteCount: Int, limits: DecodeLimits) throws(DecodeError) {
        let tracks = try ISOTrack.tracks(in: boxes, format: .heic, maxEntryCount: limits.maxListedFrameCount)
        func read(_ track: ISOTrack) throws(DecodeError) -> HEVCTrack? {
            guard let description = try track.description(Self.codecs) else { return nil }
            return try HEVCTrack(
                track,
                description: description,
                fileByteCount: fileByteCount,
                limits: limits
            )
        }
        let standsForItself = { (track: ISOTrack) in
            track.references[.auxiliaryOf] == nil && track.references[ISOBoxType("thmb")] == nil
        }
        for track in tracks where Self.pictures.contains(track.handler) && standsForItself(track) {
            guard let color = try read(track), !color.samples.ranges.isEmpty else { continue }
            self.color = color
            orientation = track.orientation
            var alpha: HEVCTrack?
            for other in tracks where alpha == nil {
                if try Self.isAlpha(other, of: track.identifier) { alpha = try read(other) }
            }
            self.alpha = alpha
            let frameCount = min(color.samples.ticks.count, limits.maxReadFrameCount(of: color.size))
            schedule = try Self.schedule(track, color, alpha, frameCount: frameCount)
            return
        }
        return nil
    }

    private static func isAlpha(_ track: ISOTrack, of identifier: Int) throws(DecodeError) -> Bool {
        guard track.handler == auxiliaries, track.references[.auxiliaryOf]?.contains(identifier) == true,
            let description = try track.description(codecs)
        else { return false }
        return alphaNames.contains { name in
            description.payload.firstRange(of: Data("auxi\0\0\0\0\(name)\0".utf8)) != nil
        }
    }

    private static func schedule(
        _ track: ISOTrack,
        _ color: HEVCTrack,
        _ alpha: HEVCTrack?,
        frameCount: Int
    ) throws(DecodeError) -> FrameSchedule {
        var keyFrames = color.samples.keyFrames.filter { $0 < frameCount }
        if let alpha {
            guard alpha.size == color.size, alpha.samples.frames == color.samples.frames else {
                throw DecodeError(
                    .unsupportedFeature,
                    format: .heic,
                    detail: "the alpha track does not match the colour track"
                )
            }
            let both = Set(alpha.samples.keyFrames)
            keyFrames.removeAll { !both.contains($0) }
        }
        let ticksPerSecond = track.ticksPerSecond
        return FrameSchedule(
            durations: color.samples.ticks.prefix(frameCount).map { ticks in
                .frame(stated: ticksPerSecond > 0 ? .seconds(ticks) / ticksPerSecond : nil)
            },
            loopCount: track.loopCount,
            keyFrames: keyFrames
        )
    }

    /// The size after applying the orientation of the track.
    var size: PixelSize { orientation.applied(to: color.size) }

    var frameCount: Int { schedule.durations.count }

    /// True for more than one frame; a single frame is a still.
    var isAnimated: Bool { frameCount > 1 }

    var pixelFormat: PixelFormat { alpha != nil ? .rgba8 : color.isGray ? .gray8 : .rgb8 }

    var dynamicRange: DynamicRange {
        guard color.colors.profile == nil, let codes = color.colors.codes else { return .standard }
        return DynamicRange(transfer: codes.transfer)
    }

    var colorSpace: ColorSpace {
        if let profile = color.colors.profile { return .icc(profile) }
        let codes = color.colors.codes
        return unsafe ColorSpace(
            profile: cc_bytes(),
            primaries: codes?.primaries ?? 0,
            transfer: codes?.transfer ?? 0
        )
    }

    /// Returns the transform from the track's colours to sRGB.
    func colorTransform(isWanted: Bool) -> ColorConversion {
        let channels = pixelFormat.channels
        if let profile = color.colors.profile {
            return unsafe profile.bytes.withUnsafeBytes { bytes in
                unsafe ColorConversion(profile: .init(bytes), channels: channels, isWanted: isWanted)
            }
        }
        let codes = color.colors.codes
        return ColorConversion(
            primaries: codes?.primaries ?? 2,
            transfer: codes?.transfer ?? 2,
            channels: channels,
            isWanted: isWanted
        )
    }
}
