import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Decodes an image in workers while its bytes arrive; bytes are sent when a preview is requested.
///
/// The worker of the last preview continues. If it is gone or busy, another worker starts from the first
/// byte. Damage is reported by the next preview, not by the `append` that adds it. For an animation the first
/// frame is shown. A preview equal to the last one is not returned.
final class WorkerIncrementalDecoder: IncrementalDecoder {
    private let format: ImageFormat
    private let options: DecodeOptions
    private let decoder: WorkerDecoder
    private var session: Int
    private var bytes = Data()
    /// Bytes that the worker has received.
    private var sentCount = 0
    /// The error after which no more bytes are accepted.
    private var failure: DecodeError?
    private var lastShown: Shown?

    /// The number of bytes that suffice to recognize every format.
    private static let headByteCount = 64

    /// The properties that tell two previews apart.
    private struct Shown: Equatable {
        let size: PixelSize
        let rowCount: Int
        let digest: UInt64

        init(_ preview: ImagePreview) {
            (size, rowCount) = (preview.image.size, preview.rowCount)
            digest = unsafe preview.image.pixels.withUnsafeBytes { bytes in unsafe xxh3(bytes) }
        }
    }

    init(_ format: ImageFormat, _ options: DecodeOptions, _ decoder: WorkerDecoder) {
        (self.format, self.options, self.decoder) = (format, options, decoder)
        session = decoder.pool.nextSession()
    }

    func append(_ chunk: Data) throws(DecodeError) {
        let most = options.limits.maxByteCount
        if failure == nil, bytes.count + chunk.count > most {
            let detail = "the file has more than DecodeLimits.maxByteCount (\(most)) bytes"
            failure = DecodeError(.limitExceeded, format: format, detail: detail)
        }
        if let failure { throw failure }
        bytes.append(chunk)
    }

    func preview() throws(DecodeError) -> ImagePreview? {
        if let failure { throw failure }
        guard sentCount < bytes.count, sentCount > 0 || isRecognizable else { return nil }
        let preview = try preview(ofBytesFrom: sentCount)
        sentCount = bytes.count
        guard let preview else { return nil }
        let shown = Shown(preview)
        guard shown != lastShown else { return nil }
        lastShown = shown
        return preview
    }

    /// Sends the bytes that the worker does not have yet.
    private func preview(ofBytesFrom start: Int) throws(DecodeError) -> ImagePreview? {
        // After a failure it is unknown which bytes the worker received, so the next preview starts over.
        var isDone = false
        defer { if !isDone { forget() } }
        let preview: ImagePreview? = try decoder.pool.decode(
            .preview(session: session, options),
            session: session,
            options.limits,
            format,
            inputs: { areKnown in [.data(areKnown ? bytes.dropFirst(start) : bytes)] },
            { outcome throws(JobFailure) in try shown(of: outcome) }
        )
        isDone = true
        return preview
    }

    private func forget() {
        session = decoder.pool.nextSession()
        sentCount = 0
    }

    func finish() throws(DecodeError) -> Image {
        if let failure { throw failure }
        // Otherwise a worker would report an unrecognized format.
        guard bytes.isEmpty || bytes.count >= Self.headByteCount || recognizedFormat != nil else {
            let detail = "the file ends after \(bytes.count) bytes, before its format is known"
            throw DecodeError(.truncated, format: format, detail: detail)
        }
        return try decoder.decode(bytes, options: options)
    }

    private var isRecognizable: Bool { recognizedFormat == format }

    private var recognizedFormat: ImageFormat? { ImageFormat(sniffing: bytes) ?? decoder.recognizes(bytes) }

    private func shown(of outcome: WorkerProcess.Outcome) throws(JobFailure) -> ImagePreview?? {
        switch outcome.answer {
        case .nothing: return .some(nil)
        case .image(let head):
            let image = try head.image(outcome, options)
            try check((0...image.size.height).contains(head.rowCount), "more rows than the image has")
            return ImagePreview(image: image, rowCount: head.rowCount)
        default: return nil
        }
    }
}
