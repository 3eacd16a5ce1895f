import CCodecs
import CalotypeCore
import FoundationEssentials

/// Decodes a JPEG while its bytes arrive, with libjpeg-turbo and a source that suspends at their end.
///
/// Baseline images are decoded row by row. For several scans a preview shows the complete scans, from the
/// first one on. After damage there are no further previews, and the result is that of an ordinary decode of
/// all bytes. Arithmetic coding cannot be suspended: such an image is decoded when all bytes have arrived.
final class JPEGIncrementalDecoder: IncrementalDecoder {
    private let options: DecodeOptions
    private var file: ArrivingFile
    private var reader: JPEGIncrementalReader?
    /// `nil` until the header has arrived.
    private var plan: DecodePlan?
    /// True after damage in the available bytes.
    ///
    /// With few bytes libjpeg-turbo reads codes one by one and rejects some that it accepts in a whole file,
    /// so the final decode decides.
    private var hasGivenUp = false
    /// The progress at the last preview.
    private var shownStep: UInt64 = 0

    init(options: DecodeOptions) {
        self.options = options
        file = ArrivingFile(.jpeg, limits: options.limits)
    }

    func append(_ chunk: Data) throws(DecodeError) {
        if try file.append(chunk), !hasGivenUp { try advance(isEnd: false) }
    }

    func preview() throws(DecodeError) -> ImagePreview? {
        try file.check()
        if file.hasUnread, !hasGivenUp { try advance(isEnd: false) }
        guard !hasGivenUp, let plan, let progress = reader?.progress, progress.step > shownStep else {
            return nil
        }
        guard let decoded = try reader?.copy() else { return nil }
        shownStep = progress.step
        return try plan.preview(from: decoded, rowCount: Int(progress.row_count), format: .jpeg)
    }

    func finish() throws(DecodeError) -> Image {
        try file.checkEnd()
        if !hasGivenUp { try advance(isEnd: true) }
        guard !hasGivenUp, let plan, reader?.progress.can_stop == 1, reader?.hasFill(in: file.data) == false,
            let decoded = try reader?.copy()
        else {
            return try JPEGDecoder().decode(file.data, options: options)
        }
        let image = try plan.image(from: decoded, format: .jpeg)
        return image.marked(isFileTruncated: reader?.progress.lacks_end == 1)
    }

    private func advance(isEnd: Bool) throws(DecodeError) {
        do throws(DecodeError) {
            if reader == nil { reader = try JPEGIncrementalReader() }
            file.markRead()
            try reader?.advance(file.data, isEnd: isEnd)
            guard plan == nil, try start() else { return }
            try reader?.advance(file.data, isEnd: isEnd)
        } catch {
            guard error.code == .corrupt, plan != nil else { throw file.failed(error) }
            hasGivenUp = true
            reader = nil
        }
    }

    /// Creates the plan once the header has arrived; returns whether decoding has started.
    private func start() throws(DecodeError) -> Bool {
        guard let progress = reader?.progress, progress.has_header == 1, let size = reader?.size else {
            return false
        }
        try options.limits.checkSize(size, format: .jpeg)
        let exif = reader?.exif ?? ExifFields()
        let plan = DecodePlan(
            size,
            orientation: exif.orientation ?? .up,
            hasColorProfile: reader?.hasColorProfile == true,
            colorSpace: reader?.colorSpace ?? .sRGB,
            copyright: exif.copyright,
            options: options
        )
        self.plan = plan
        guard progress.can_stop == 1 else { return false }
        try reader?.start(eighths: plan.eighths, options: options)
        return true
    }
}

/// Owns the C decoder.
@safe private struct JPEGIncrementalReader: ~Copyable {
    private let image: OpaquePointer
    private var color: ColorConversion?
    private var eighths = 8

    init() throws(DecodeError) {
        let image = try unsafe CodecFailure.open(.jpeg) { image, message in
            unsafe cc_jpeg_incremental_open(image, message)
        }
        unsafe self.image = image
    }

    deinit {
        unsafe cc_jpeg_incremental_close(image)
    }

    var progress: cc_jpeg_progress { unsafe cc_jpeg_incremental_progress(image) }

    /// The pointer is valid until more bytes are read.
    private var header: cc_jpeg_header { unsafe cc_jpeg_incremental_header(image).pointee }

    var size: PixelSize { unsafe header.size }

    var exif: ExifFields { unsafe header.exifFields }

    var hasColorProfile: Bool { unsafe header.hasColorProfile }

    var colorSpace: ColorSpace { unsafe header.colorSpace }

    /// Decodes the available bytes.
    func advance(_ file: Data, isEnd: Bool) throws(DecodeError) {
        try unsafe CodecFailure.check(.jpeg) { message in
            unsafe file.bytes.withUnsafeBytes { bytes in
                unsafe cc_jpeg_incremental_advance(image, cc_bytes(bytes), isEnd ? 1 : 0, message)
            }
        }
    }

    /// Starts decoding at a fraction of the stored size.
    mutating func start(eighths: Int, options: DecodeOptions) throws(DecodeError) {
        let color = unsafe header.color(options)
        var decoding = unsafe cc_jpeg_decoding(eighths: eighths, limits: options.limits, color)
        self.eighths = eighths
        self.color = consume color
        try unsafe CodecFailure.check(.jpeg) { message in
            unsafe cc_jpeg_incremental_start(image, &decoding, message)
        }
    }

    /// Returns whether the file contains fill bytes with which an ordinary decode results in other pixels.
    func hasFill(in file: Data) -> Bool {
        unsafe file.bytes.withUnsafeBytes { unsafe cc_jpeg_incremental_has_fill(image, cc_bytes($0)) != 0 }
    }

    /// Returns the available rows.
    func copy() throws(DecodeError) -> Raster {
        try unsafe Raster(size, eighths: eighths, format: header.pixelFormat) { rows throws(DecodeError) in
            try unsafe CodecFailure.check(.jpeg) { message in
                unsafe cc_jpeg_incremental_copy(image, rows, message)
            }
        }
    }
}
