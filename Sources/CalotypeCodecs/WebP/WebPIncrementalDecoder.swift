import CCodecs
import CalotypeCore
import FoundationEssentials

/// Decodes WebP while its bytes arrive: the rows of a still as they come, the frames of an animation that are
/// whole.
///
/// WebP has no check sums: of a damaged bitstream libwebp makes other pixels where it comes in pieces, and
/// may miss what it notices in a whole file.
///
/// The orientation stands after the pixels as a rule, so previews are turned by it only where it has come.
final class WebPIncrementalDecoder: IncrementalDecoder {
    private let options: DecodeOptions
    private var file = Data()
    private var container = WebPContainer()
    private var stream: WebPStream?
    /// Whether the decoder of streams has found damage; it refuses some bitstreams that decode as a whole, so
    /// the end is to tell.
    private var hasGivenUp = false
    /// How long the file has to be for more to come of it; short chunks cost no more than long ones then.
    private var neededByteCount = 0
    /// What has been shown: rows of the still, or frames.
    private var shownCount = 0

    init(options: DecodeOptions) {
        self.options = options
    }

    func append(_ chunk: Data) throws(DecodeError) {
        file.append(chunk)
        guard !file.isEmpty else { return }
        try options.limits.checkInput(file, format: .webP)
        guard file.count >= neededByteCount else { return }
        try container.read(file, limits: options.limits)
        try decode(isPulled: false)
        neededByteCount = min(container.neededByteCount, stream?.neededByteCount ?? .max)
    }

    /// Decodes what has come of a still, or where it is not pulled, once that is worth a call.
    private func decode(isPulled: Bool) throws(DecodeError) {
        guard !hasGivenUp, container.frames.isEmpty, let still = container.still else { return }
        let stream = try stream(for: still)
        let isNew = file.count > stream.fileByteCount && !stream.hasSeenAll
        guard isPulled && isNew || file.count >= stream.neededByteCount else { return }
        let file = file
        do throws(DecodeError) {
            try unsafe file.bytes.withUnsafeBytes { bytes throws(DecodeError) in
                try unsafe stream.update(bytes)
            }
        } catch {
            guard error.code == .corrupt else { throw error }
            hasGivenUp = true
            self.stream = nil
        }
    }

    private func stream(for still: WebPBitstream) throws(DecodeError) -> WebPStream {
        if let stream { return stream }
        let plan = try WebPFile(container, file).plan(options)
        let stream = try WebPStream(still, size: plan.size(decoding: still))
        self.stream = stream
        return stream
    }

    func preview() throws(DecodeError) -> ImagePreview? {
        if !container.frames.isEmpty { return try animationPreview() }
        try decode(isPulled: true)
        guard let stream, stream.rowCount > shownCount else { return nil }
        shownCount = stream.rowCount
        let file = try WebPFile(container, file)
        return try file.plan(options).preview(
            from: try raster(stream, file),
            rowCount: stream.rowCount,
            format: .webP
        )
    }

    private func animationPreview() throws(DecodeError) -> ImagePreview? {
        let count = options.frames == .all ? container.frames.count : 1
        guard count > shownCount else { return nil }
        // The size of a result that all frames are to fit into is not known before their number is.
        if case .fitBytes = options.target, options.frames == .all { return nil }
        shownCount = count
        let file = file
        let parts = try WebPFile(container, file)
        let plan = parts.plan(options)
        let canvas = try unsafe file.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            try unsafe parts.firstRaster(in: bytes, plan)
        }
        let frames = try parts.sequence(file, plan, canvas, isPart: true)
        let image = try plan.image(from: canvas, format: .webP, frames: frames)
        return ImagePreview(image: image, rowCount: image.size.height)
    }

    /// Takes what has been decoded where it is what an ordinary decode would make.
    ///
    /// It is not where the orientation, which has come last, makes the target ask for another size.
    func finish() throws(DecodeError) -> Image {
        try options.limits.checkInput(file, format: .webP)
        try decode(isPulled: true)
        let parts = try WebPFile(whole: file, limits: options.limits)
        let plan = parts.plan(options)
        guard let stream, stream.isWhole, parts.still == stream.bitstream,
            stream.size == plan.size(decoding: stream.bitstream)
        else { return try WebPDecoder().decode(file, options: options) }
        return try plan.image(from: try raster(stream, parts), format: .webP)
    }

    private func raster(_ stream: WebPStream, _ parts: WebPFile) throws(DecodeError) -> Raster {
        let file = file
        return try unsafe file.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            let color = unsafe parts.colorTransform(bytes, isWanted: options.convertsToSRGB)
            return try stream.raster(color)
        }
    }
}
