import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// A decoder that runs in a worker; responses are checked against the limits before they are used.
struct WorkerDecoder: ImageDecoder, DamageShowing {
    /// The decoder that the worker runs.
    ///
    /// In process only `recognizes` and `makeIncrementalDecoder` are called.
    let base: any ImageDecoder
    let formats: [ImageFormat]
    let pool: WorkerPool

    var isBounded: Bool { true }

    func recognizes(_ data: Data) -> ImageFormat? { base.recognizes(data) }

    func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        let info: ImageInfo = try run(.info(limits), data, limits) { outcome throws(JobFailure) in
            guard case .info(let info) = outcome.answer else { return nil }
            try check(formats.contains(info.format) && !info.size.isEmpty, "an invalid header")
            try check(info.frameCount <= limits.maxFrameCount, "more frames than the limit")
            return info
        }
        try limits.checkSize(info.size, frameCount: info.frameCount, format: info.format)
        return info
    }

    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        var options = options
        // The registry of the program reads them.
        (options.keepsMetadata, options.keepsGainMap) = (false, false)
        return try run(.decode(options), data, options.limits) { outcome throws(JobFailure) in
            guard case .image(let head) = outcome.answer else { return nil }
            try check(head.format.map(formats.contains) ?? true, "an image of another format")
            let image = try head.image(outcome, options)
            guard let animation = head.animation else { return image }
            let frames = try WorkerFrames(animation, of: image, data, options, outcome, pool)
            let first = animation.beginsWithImage ? image : nil
            return image.replacing(animation: Animation(source: frames, firstFrame: first))
        }
    }

    func thumbnail(in head: Data, options: DecodeOptions) throws(DecodeError) -> Image? {
        try run(.thumbnail(options), head, options.limits) { outcome throws(JobFailure) in
            switch outcome.answer {
            case .nothing: return .some(nil)
            case .image(let head): return try head.image(outcome, options)
            default: return nil
            }
        }
    }

    func makeIncrementalDecoder(
        for format: ImageFormat,
        options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        guard base.makeIncrementalDecoder(for: format, options: options) != nil else { return nil }
        return WorkerIncrementalDecoder(format, options, self)
    }

    private func run<Value>(
        _ job: Job,
        _ data: Data,
        _ limits: DecodeLimits,
        _ take: (WorkerProcess.Outcome) throws(JobFailure) -> Value?
    ) throws(DecodeError) -> Value {
        try pool.decode(job, limits, ImageFormat(sniffing: data), inputs: { _ in [.data(data)] }, take)
    }
}

/// Throws if a value in a worker's response is impossible.
func check(_ isPossible: Bool, _ lie: String) throws(JobFailure) {
    guard isPossible else { throw .crashed("the worker sent \(lie)") }
}

extension WorkerPool {
    /// Runs a decoding job and returns the result of `take`.
    ///
    /// `take` returns `nil` for a response of the wrong type. Throws `DecodeError`.
    func decode<Value>(
        _ job: Job,
        session: Int? = nil,
        _ limits: DecodeLimits,
        _ format: ImageFormat?,
        inputs: (_ areKnown: Bool) -> [Payload],
        _ take: (WorkerProcess.Outcome) throws(JobFailure) -> Value?
    ) throws(DecodeError) -> Value {
        let result: Result<Value, DecodeError>
        do throws(JobFailure) {
            result = try run(job, session: session, atMost: limits.maxDuration, inputs: inputs) {
                outcome throws(JobFailure) in
                if case .failure(let label, let told, let detail) = outcome.answer {
                    return .failure(try decodeError(label, told ?? format, detail))
                }
                guard let value = try take(outcome) else {
                    throw .crashed("the worker sent an unexpected response type")
                }
                return .success(value)
            }
        } catch {
            throw error.decodeError(format)
        }
        return try result.get()
    }

    private func decodeError(
        _ label: String,
        _ format: ImageFormat?,
        _ detail: String
    ) throws(JobFailure) -> DecodeError {
        guard let code = DecodeError.Code(label: label) else {
            throw .crashed("the worker sent an unknown error code")
        }
        // The worker's memory limit was reached, not the machine's.
        if code == .outOfMemory { throw .memoryExceeded }
        return DecodeError(code, format: format, detail: detail)
    }
}

extension ImageHead {
    /// The maximum size of an ICC profile in bytes; real files have some kilobytes, at most a few megabytes.
    static let maxProfileByteCount = 16 << 20

    func image(_ outcome: WorkerProcess.Outcome, _ options: DecodeOptions) throws(JobFailure) -> Image {
        try check(size.pixelCount <= options.limits.maxPixelCount, "more pixels than the limit")
        var metadata = metadata
        try check(profileByteCount <= Self.maxProfileByteCount, "an ICC profile above the size limit")
        if profileByteCount > 0 {
            metadata.colorSpace = .icc(try outcome.data(byteCount: profileByteCount))
        }
        return Image(
            size: size,
            pixelFormat: pixelFormat,
            pixels: try outcome.pixels(byteCount: byteCount, at: pixelOffset),
            scale: scale,
            format: format,
            metadata: metadata
        )
    }
}
