import CCodecs
import CalotypeCore
import FoundationEssentials

/// Decodes WebP while its bytes arrive: shows the rows of a still, or the complete frames of an animation.
///
/// WebP has no checksums: for a damaged bitstream in chunks libwebp decodes other pixels than for the whole
/// file, and may miss damage that it detects in a whole file.
///
/// The orientation usually follows the pixels, so previews are turned only if it has arrived.
final class WebPIncrementalDecoder: IncrementalDecoder {
    private let options: DecodeOptions
    private var file = Data()
    private var container = WebPContainer()
    private var stream: WebPStream?
    /// True after damage in the stream; the stream decoder rejects some bitstreams that decode as a whole, so
    /// the final decode decides.
    private var hasGivenUp = false
    /// The file size at which decoding continues; avoids extra cost for short chunks.
    private var neededByteCount = 0
    /// The number of shown rows of the still, or of frames.
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

    /// Decodes the available part of a still; without a request for a preview, only when enough bytes have
    /// arrived.
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
        // With a target in bytes for all frames, the size of the result is unknown until their number is
        // known.
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

    /// Uses the decoded stream if it equals an ordinary decode.
    ///
    /// It does not if a late orientation changes the decode size of the target.
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
