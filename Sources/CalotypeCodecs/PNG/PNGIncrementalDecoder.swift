import CCodecs
import CalotypeCore
import FoundationEssentials

/// Decodes a PNG while its bytes arrive, with libpng's progressive reader; a preview of an animation shows
/// its default image, or all complete frames if there are several.
final class PNGIncrementalDecoder: IncrementalDecoder {
    private let options: DecodeOptions
    private var file: ArrivingFile
    private var reader: PNGIncrementalReader?
    private var side = PNGSideInfo()
    /// The progress at the last preview.
    private var shownStep: UInt64 = 0
    private var shownFrameCount = 1

    init(options: DecodeOptions) {
        self.options = options
        file = ArrivingFile(.png, limits: options.limits)
    }

    func append(_ chunk: Data) throws(DecodeError) {
        if try file.append(chunk) { try advance(isEnd: false) }
    }

    func preview() throws(DecodeError) -> ImagePreview? {
        try file.check()
        if file.hasUnread { try advance(isEnd: false) }
        if let animation = try animationPreview() { return animation }
        // Once several frames are shown, the first alone would be a step back.
        guard shownFrameCount == 1, let progress = reader?.progress, progress.step > shownStep else {
            return nil
        }
        guard let decoded = try reader?.copy(options: options), let size = reader?.size else {
            return nil
        }
        shownStep = progress.step
        let plan = DecodePlan(
            size,
            orientation: side.exif.orientation ?? .up,
            hasColorProfile: reader?.hasColorProfile == true,
            frameCount: options.frames == .all ? side.claimedFrameCount : 1,
            options: options
        )
        return try plan.preview(from: decoded, rowCount: Int(progress.row_count), format: .png)
    }

    /// Returns the complete frames as a file of their own: all but the last one that has started.
    private func animationPreview() throws(DecodeError) -> ImagePreview? {
        let frameCount = side.frames.count - 1
        guard options.frames == .all, frameCount > shownFrameCount, let size = reader?.size,
            let header = unsafe reader?.header,
            let end = PNGAnimation.endOfWholeFrames(file.data, canvas: size)
        else { return nil }
        // With a target in bytes for all frames, the size of the result depends on their claimed number.
        if case .fitBytes = options.target { return nil }
        shownFrameCount = frameCount
        let part = try EncodedBytes(file.data.prefix(end), PNGAnimation.endChunk).data
        let plan = try unsafe PNGPlan(part, header: header, options: options, isPart: true)
        guard plan.pixelFormat == reader?.pixelFormat, let decoded = try reader?.copy(options: options) else {
            let image = try PNGDecoder().decode(part, options: options)
            return ImagePreview(image: image, rowCount: image.size.height)
        }
        let image = try plan.image(from: decoded, of: part)
        return ImagePreview(image: image, rowCount: image.size.height)
    }

    func finish() throws(DecodeError) -> Image {
        try file.checkEnd()
        try advance(isEnd: true)
        guard reader?.progress.has_excess == 0, let header = unsafe reader?.header else {
            return try decodeAll()
        }
        let plan = try unsafe PNGPlan(file.data, header: header, options: options)
        // The frames of the animation have alpha, but its first frame has none.
        guard plan.pixelFormat == reader?.pixelFormat, let decoded = try reader?.copy(options: options) else {
            return try decodeAll()
        }
        return try plan.image(from: decoded, of: file.data)
    }

    private func decodeAll() throws(DecodeError) -> Image {
        try PNGDecoder().decode(file.data, options: options)
    }

    private func advance(isEnd: Bool) throws(DecodeError) {
        do throws(DecodeError) {
            if reader == nil { reader = try PNGIncrementalReader(limits: options.limits) }
            file.markRead()
            try reader?.advance(file.data, isEnd: isEnd)
            try readSide()
        } catch {
            throw file.failed(error)
        }
    }

    /// Reads the available chunks other than pixels, and checks the frames that they claim; the size was
    /// checked before the rows were allocated.
    private func readSide() throws(DecodeError) {
        guard reader?.progress.has_header == 1, let size = reader?.size else { return }
        try side.read(file.data, canvas: size, limits: options.limits)
    }
}

/// Owns the C decoder.
@safe private struct PNGIncrementalReader: ~Copyable {
    private let image: OpaquePointer

    init(limits: DecodeLimits) throws(DecodeError) {
        let image = try unsafe CodecFailure.open(.png) { image, message in
            unsafe cc_png_incremental_open(UInt64(limits.maxPixelCount), image, message)
        }
        unsafe self.image = image
    }

    deinit {
        unsafe cc_png_incremental_close(image)
    }

    var progress: cc_png_progress { unsafe cc_png_incremental_progress(image) }

    /// Valid once available, and as long as the reader.
    var header: cc_png_header { unsafe cc_png_incremental_header(image).pointee }

    var size: PixelSize { unsafe header.size }

    var pixelFormat: PixelFormat { unsafe header.pixelFormat }

    var hasColorProfile: Bool { unsafe header.hasColorProfile }

    /// Decodes the available bytes.
    func advance(_ file: Data, isEnd: Bool) throws(DecodeError) {
        try unsafe CodecFailure.check(.png) { message in
            unsafe file.bytes.withUnsafeBytes { bytes in
                unsafe cc_png_incremental_advance(image, cc_bytes(bytes), isEnd ? 1 : 0, message)
            }
        }
    }

    /// Returns the available rows, with converted colours.
    func copy(options: DecodeOptions) throws(DecodeError) -> Raster {
        let header = unsafe header
        let format = unsafe header.pixelFormat
        let color = unsafe ColorConversion(png: header, format: format, options: options)
        return try unsafe Raster(size: header.size, format: format) { rows throws(DecodeError) in
            try unsafe CodecFailure.check(.png) { _ in
                unsafe cc_png_incremental_copy(image, color.transform, rows)
            }
        }
    }
}
