import CalotypeCore
import FoundationEssentials

/// Reads the frames of a sequence: decodes samples in their order, and holds their pictures until they are
/// shown.
final class HEICFrameReader: FrameReader {
    private let file: Data
    private let sequence: HEICSequence
    private let transform: ColorConversion
    private var color: HEVCStream
    private var alpha: HEVCStream?
    private var nextSample = 0
    /// The frame at which decoding started; earlier frames that are decoded later are dropped.
    private var firstFrame = 0
    private var waiting: [Int: Raster] = [:]

    init(_ file: Data, _ sequence: HEICSequence, options: DecodeOptions) throws(DecodeError) {
        self.file = file
        self.sequence = sequence
        transform = sequence.colorTransform(isWanted: options.convertsToSRGB)
        color = try HEVCStream(sequence.color)
        alpha = try Self.alpha(sequence)
    }

    private static func alpha(_ sequence: HEICSequence) throws(DecodeError) -> HEVCStream? {
        guard let track = sequence.alpha else { return nil }
        return try HEVCStream(track)
    }

    func readFrame(at index: Int) throws(DecodeError) -> Raster {
        while true {
            if let raster = waiting.removeValue(forKey: index) {
                return try raster.upright(from: sequence.orientation)
            }
            try decodeSample()
        }
    }

    private func decodeSample() throws(DecodeError) {
        let frames = sequence.color.samples.frames
        guard nextSample < frames.count else {
            throw DecodeError(.truncated, format: .heic, detail: "there is no sample \(nextSample)")
        }
        try DecodeError.checkStop(.heic)
        let sample = nextSample
        nextSample += 1
        guard frames[sample] >= firstFrame else { return }
        try color.decode(sample: sample, of: file)
        try alpha?.decode(sample: sample, of: file)
        waiting[frames[sample]] = try color.raster(sequence.pixelFormat, alpha: alpha, color: transform)
    }

    func move(toKeyFrame index: Int) throws(DecodeError) {
        color = try HEVCStream(sequence.color)
        alpha = try Self.alpha(sequence)
        nextSample = index == 0 ? 0 : sequence.color.samples.samples[index]
        firstFrame = index
        waiting = [:]
    }
}
