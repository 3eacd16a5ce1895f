import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// A track of pictures in HEVC: the positions of its samples, and their decoder configuration.
struct HEVCTrack {
    /// The size as stored, before the orientation of the track.
    let size: PixelSize
    let samples: ISOSamples
    let colors: HEVCColors
    let isGray: Bool
    let bitDepth: Int
    /// The parameter sets for all samples.
    let parameterSets: [HEVCUnit]
    /// The size of a unit's length field in bytes.
    let lengthByteCount: Int

    private let sequenceSet: Data
    private let isLarge: Bool

    /// The size of a sample entry before its boxes (ISO/IEC 14496-12 section 12.1.3).
    private static let entryByteCount = 78

    /// Reads a track.
    ///
    /// - Parameters:
    ///   - track: The track.
    ///   - description: Its sample entry.
    ///   - fileByteCount: The bytes of the file.
    ///   - limits: The limits of the decode.
    /// - Throws: `DecodeError`.
    init(
        _ track: ISOTrack,
        description: ISOBox,
        fileByteCount: Int,
        limits: DecodeLimits
    ) throws(DecodeError) {
        let boxes = try ISOBox.boxes(
            in: description.payload.dropFirst(Self.entryByteCount),
            format: .heic
        )
        var entry = ByteReader(description.payload.dropFirst(24))
        guard let width = entry.bigEndian(UInt16.self), let height = entry.bigEndian(UInt16.self),
            let configuration = boxes.first(where: { $0.type == .hevcConfiguration })?.payload
        else { throw Self.corrupt("a track has no codec configuration") }
        size = PixelSize(width: Int(width), height: Int(height))
        let fields = [UInt8](configuration.prefix(22))
        guard fields.count == 22 else { throw Self.corrupt("a configuration is truncated") }
        (isGray, bitDepth) = (fields[16] & 3 == 0, Int(fields[17] & 7) + 8)
        lengthByteCount = Int(fields[21] & 3) + 1
        colors = HEVCColors(boxes)
        samples = try ISOSamples(track, fileByteCount: fileByteCount, limits: limits)
        var units = HEVCUnits(.heic)
        try units.append(configuration: configuration)
        parameterSets = units.units.filter { !$0.isSlice }
        sequenceSet = units.parameterSets.first?.bytes ?? Data()
        let codedSize = try Self.codedSize(
            units.parameterSets,
            of: size,
            frameCount: min(samples.ranges.count, limits.maxReadFrameCount(of: size)),
            limits
        )
        isLarge = codedSize.pixelCount > limits.maxPixelCount / Self.maxReferenceCount
        try checkDelay(limits)
    }

    private static func corrupt(_ detail: String) -> DecodeError {
        DecodeError(.corrupt, format: .heic, detail: detail)
    }

    /// Checks that all pictures of a track have one size.
    private static func codedSize(
        _ sets: [HEVCUnit],
        of size: PixelSize,
        frameCount: Int,
        _ limits: DecodeLimits
    ) throws(DecodeError) -> PixelSize {
        try limits.checkSize(size, frameCount: frameCount, format: .heic)
        guard let first = sets.first, sets.allSatisfy({ $0.bytes == first.bytes }) else {
            throw DecodeError(
                .unsupportedFeature,
                format: .heic,
                detail: "a track with \(sets.count) sequence parameter sets instead of one"
            )
        }
        guard let set = HEVCParameterSet(first) else { throw corrupt("a parameter set is truncated") }
        try limits.checkCodedSize(set.codedSize, frameCount: frameCount, format: .heic)
        guard set.size == size else { throw corrupt("a stream of \(set.size) pixels in a track of \(size)") }
        return set.codedSize
    }

    // MARK: - Retained pictures

    /// The maximum delay that a decoder has to support (ITU-T H.265 section A.4.2).
    private static let maxDelay = 16

    /// The maximum number of reference pictures whose pixels may reach the limit of one: libde265 holds 30,
    /// and creates as many missing ones.
    private static let maxReferenceCount = 12

    private func checkDelay(_ limits: DecodeLimits) throws(DecodeError) {
        let delay = samples.delay
        guard delay <= Self.maxDelay else {
            throw Self.corrupt("a picture is shown \(delay) pictures after it is decoded")
        }
        guard delay / 2 * size.pixelCount <= limits.maxPixelCount else {
            throw DecodeError(
                .limitExceeded,
                format: .heic,
                detail: "\(delay) pictures of \(size) in the reorder buffer"
            )
        }
    }

    // MARK: - Samples

    /// Returns the units of a sample, which must be one picture of the track's size.
    func units(ofSample index: Int, in file: Data) throws(DecodeError) -> [HEVCUnit] {
        let range = samples.ranges[index]
        var units = HEVCUnits(.heic)
        let sample = file.dropFirst(range.lowerBound).prefix(range.count)
        guard try units.append(stream: sample, lengthByteCount: lengthByteCount) else {
            throw Self.corrupt("a unit of sample \(index) exceeds the sample")
        }
        guard units.pictureCount == 1 else {
            throw Self.corrupt("\(units.pictureCount) pictures in sample \(index)")
        }
        guard units.sliceCount <= HEVCUnits.slicesOfPicture * HEIFItems.maxWork else {
            throw DecodeError(
                .limitExceeded,
                format: .heic,
                detail: "\(units.sliceCount) slices in a picture"
            )
        }
        guard !isLarge || units.units.allSatisfy({ !$0.isSlice || $0.isRefresh }) else {
            throw DecodeError(
                .limitExceeded,
                format: .heic,
                detail: "predicted pictures of \(size)"
            )
        }
        guard units.parameterSets.allSatisfy({ $0.bytes == sequenceSet }) else {
            throw DecodeError(
                .unsupportedFeature,
                format: .heic,
                detail: "a different sequence parameter set in sample \(index)"
            )
        }
        // libde265 drops the picture parameter sets when an identical sequence parameter set is repeated.
        return units.units.filter { !$0.isParameterSet }
    }
}

/// The boxes `colr` of a sample entry (ISO/IEC 14496-12 section 12.1.5).
struct HEVCColors {
    /// Code points of ITU-T H.273.
    struct Codes {
        let primaries: UInt32
        let transfer: UInt32
        let matrix: UInt32
        let isFullRange: Bool
    }

    private(set) var profile: Data?
    private(set) var codes: Codes?

    init(_ boxes: [ISOBox]) {
        for box in boxes where box.type == ISOBoxType("colr") {
            var reader = ByteReader(box.payload)
            guard let kind = reader.bigEndian(UInt32.self) else { continue }
            switch ISOBoxType(rawValue: kind) {
            case ISOBoxType("prof"), ISOBoxType("rICC"):
                profile = profile ?? reader.bytes(reader.remainingByteCount)
            case ISOBoxType("nclx"): codes = codes ?? Codes(&reader)
            default: break
            }
        }
    }
}

extension HEVCColors.Codes {
    fileprivate init?(_ reader: inout ByteReader) {
        guard let primaries = reader.bigEndian(UInt16.self), let transfer = reader.bigEndian(UInt16.self),
            let matrix = reader.bigEndian(UInt16.self), let range = reader.bigEndian(UInt8.self)
        else { return nil }
        self.init(
            primaries: UInt32(primaries),
            transfer: UInt32(transfer),
            matrix: UInt32(matrix),
            isFullRange: range & 0x80 != 0
        )
    }
}
