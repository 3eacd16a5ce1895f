import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// Decodes an image in workers while its bytes arrive: they are handed over when somebody wants to see it.
///
/// The worker of the last preview goes on from there; where it is gone or has other work, one begins anew.
/// Damage is told by the next preview, not by the bytes that bring it.
final class WorkerIncrementalDecoder: IncrementalDecoder {
    private let format: ImageFormat
    private let options: DecodeOptions
    private let decoder: WorkerDecoder
    private let session: Int
    private var bytes = Data()
    /// How many of them the worker has.
    private var sentCount = 0
    /// Why it takes no more.
    private var failure: DecodeError?

    init(_ format: ImageFormat, _ options: DecodeOptions, _ decoder: WorkerDecoder) {
        (self.format, self.options, self.decoder) = (format, options, decoder)
        session = decoder.pool.nextSession()
    }

    func append(_ chunk: Data) throws(DecodeError) {
        let most = options.limits.byteCountMax
        if failure == nil, bytes.count + chunk.count > most {
            let detail = "the file has more than DecodeLimits.byteCountMax (\(most)) bytes"
            failure = DecodeError(.limitExceeded, format: format, detail: detail)
        }
        if let failure { throw failure }
        bytes.append(chunk)
    }

    func preview() throws(DecodeError) -> ImagePreview? {
        if let failure { throw failure }
        guard sentCount < bytes.count, sentCount > 0 || isRecognizable else { return nil }
        let preview: ImagePreview? = try decoder.pool.decode(
            .preview(session: session, options),
            session: session,
            options.limits,
            format,
            inputs: { areKnown in [.data(areKnown ? bytes.dropFirst(sentCount) : bytes)] },
            { outcome throws(JobFailure) in try shown(of: outcome) }
        )
        sentCount = bytes.count
        return preview
    }

    func finish() throws(DecodeError) -> Image {
        if let failure { throw failure }
        return try decoder.decode(bytes, options: options)
    }

    /// Whether a worker recognises the format by the bytes that have come.
    private var isRecognizable: Bool { (ImageFormat(sniffing: bytes) ?? decoder.recognizes(bytes)) == format }

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
