import CCodecs
import CalotypeCore
import FoundationEssentials

/// Decodes JPEG XL while its bytes arrive: libjxl continues at the end of the previous bytes.
///
/// The headers of frames are read first, so that a frame beyond the limits is not decoded. Previews are
/// coarse XYB images, as lossy files contain them; other files have no preview before the frame is complete,
/// since the library does not report which pixels have arrived.
final class JPEGXLIncrementalDecoder: IncrementalDecoder {
    private let options: DecodeOptions
    private var file: ArrivingFile
    private var layers: JPEGXLLayers
    private var frame: JPEGXLFrameInProgress?
    /// The file size at which the library is called next.
    private var nextByteCount = stepByteCount
    /// The file size at the last preview.
    private var previewedByteCount = 0

    /// Fewer new bytes are not decoded yet, so that chunks of one byte cost no more than long ones.
    private static let stepByteCount = 4096

    init(options: DecodeOptions) {
        self.options = options
        file = ArrivingFile(.jpegXL, limits: options.limits)
        layers = JPEGXLLayers(limits: options.limits)
    }

    func append(_ chunk: Data) throws(DecodeError) {
        _ = try file.append(chunk)
        guard file.data.count >= nextByteCount else { return }
        try decodeWhatHasCome()
        nextByteCount = file.data.count + max(Self.stepByteCount, file.data.count / 8)
    }

    func preview() throws(DecodeError) -> ImagePreview? {
        try file.check()
        guard file.data.count > previewedByteCount, frame?.isPreviewedWhole != true else { return nil }
        previewedByteCount = file.data.count
        try decodeWhatHasCome()
        guard let frame, isSizeOfResultKnown, let shown = try frame.shown() else { return nil }
        let plan = DecodePlan(frame.header, frame.reader, schedule: schedule, options: options)
        let image = try plan.image(from: shown, format: .jpegXL)
        return ImagePreview(image: image, rowCount: image.size.height)
    }

    func finish() throws(DecodeError) -> Image {
        try file.checkEnd()
        try decodeWhatHasCome()
        guard areLayersRead, let frame, frame.isWhole else {
            throw DecodeError(
                .truncated,
                format: .jpegXL,
                detail: "the file ends after \(file.data.count) bytes, before the image is complete"
            )
        }
        let plan = DecodePlan(frame.header, frame.reader, schedule: schedule, options: options)
        let codestream = try JPEGXLCodestream.bytes(of: file.data)
        return try plan.image(from: try frame.raster(), schedule: schedule, of: codestream)
    }

    private var schedule: FrameSchedule? { layers.schedule }

    private var areLayersRead: Bool { layers.areAllRead }

    /// True if frames that have not arrived cannot change the size of the result.
    private var isSizeOfResultKnown: Bool {
        if case .fitBytes = options.target, options.frames == .all { return areLayersRead }
        return true
    }

    /// Decodes until more bytes are needed.
    private func decodeWhatHasCome() throws(DecodeError) {
        do throws(DecodeError) {
            try untilBytesEnd { () throws(DecodeError) in
                let codestream = try JPEGXLCodestream.bytes(of: file.data)
                // The available headers are within the limits, even if more follow.
                try untilBytesEnd { () throws(DecodeError) in try layers.read(codestream) }
                try readFrame(codestream)
            }
        } catch {
            throw file.failed(error)
        }
    }

    /// Ignores missing bytes: decoding continues with the next ones.
    private func untilBytesEnd(_ work: () throws(DecodeError) -> Void) throws(DecodeError) {
        do throws(DecodeError) {
            try work()
        } catch  where error.code == .truncated {}
    }

    private func readFrame(_ codestream: Data) throws(DecodeError) {
        guard let header = layers.header else { return }
        if frame == nil { frame = try JPEGXLFrameInProgress(header, options: options) }
        try unsafe codestream.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            try unsafe frame?.read(bytes)
        }
    }
}
