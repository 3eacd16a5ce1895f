import Calotype
import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

extension ImageService {
    /// Whether uploads are accepted.
    package var acceptsUploads: Bool { configuration.uploads != nil && configuration.imgproxy != nil }

    /// Verifies the path of an upload, its signature or token, and its announced length, before its body is
    /// read.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - authorization: The value of `Authorization`.
    ///   - byteCount: The announced length of the body; `nil` if unknown.
    /// - Returns: The upload, which receives the body.
    /// - Throws: ``RequestError``.
    package func upload(
        _ request: ServiceRequest,
        authorization: String?,
        byteCount: Int?
    ) throws(RequestError) -> Upload {
        guard let uploads = configuration.uploads, let imgproxy = configuration.imgproxy else {
            throw RequestError(.malformedPath, detail: "uploads are disabled")
        }
        let isAuthorized = try uploads.isAuthorized(
            authorization,
            needsToken: !imgproxy.signature.isRequired
        )
        let rendering = try rendering(ofUpload: request.target, isAuthorized: isAuthorized)
        try rendering.delivery.check(at: configuration.timeSource.now())
        guard rendering.output != .original else {
            throw RequestError(
                .unsupportedOption,
                option: "raw",
                detail: "an upload is not returned unchanged; remove raw"
            )
        }
        let maxByteCount = configuration.limits.maxByteCount
        guard byteCount ?? 0 <= maxByteCount else { throw Upload.tooLarge(maxByteCount) }
        let target = try ParsedTarget(rendering, configuration)
        return Upload(
            request,
            target,
            pipeline,
            maxByteCount: maxByteCount,
            expectedByteCount: byteCount,
            timeout: uploads.timeout
        ) { [self] deadline in
            // A GET of the same path may have another result.
            try await requests(of: target, named: "POST \(request.target)", until: deadline)
        }
    }

    /// Returns the response to an upload whose body is complete, and releases the body.
    ///
    /// - Throws: `CancellationError` if the calling task is cancelled; all other errors become responses.
    package func response(to upload: Upload) async throws(CancellationError) -> ServiceResponse {
        defer { upload.release() }
        let start = ContinuousClock.now
        var record = ServiceRecord(of: upload.request)
        record.source = "upload"
        do {
            let image = try await image(of: upload, until: start + configuration.timeout)
            record.cache = .miss
            if let clock = image.clock { record.timings = clock.timings }
            record.duration = .now - start
            let answer = answer(image, to: upload, record)
            tell(&record, of: answer)
            return answer
        } catch let error as CancellationError {
            record.duration = .now - start
            configuration.observer?.didRespond(record)
            throw error
        } catch {
            return refusal(of: upload.request, error, &record, since: start)
        }
    }

    /// Returns the response to an upload that failed before its body was complete.
    package func response(toFailure error: any Error, ofUpload request: ServiceRequest) -> ServiceResponse {
        var record = ServiceRecord(of: request)
        return refusal(of: request, error, &record, since: .now)
    }

    private func refusal(
        of request: ServiceRequest,
        _ error: any Error,
        _ record: inout ServiceRecord,
        since start: ContinuousClock.Instant
    ) -> ServiceResponse {
        let error = WatermarkError(in: error) ?? error
        let isLate = start + configuration.timeout <= .now
        let problem = problem(ofFailure: error, isLate: isLate, &record)
        let answer = answer(problem, AcceptHeader(request.accept))
        record.duration = .now - start
        tell(&record, of: answer)
        return answer
    }

    private func image(
        of upload: Upload,
        until deadline: ContinuousClock.Instant
    ) async throws -> EncodedImage {
        let (target, data) = (upload.target, upload.data)
        // Nothing is cached, so that an AVIF could not be encoded behind another format.
        let excluded: ImageFormat? = configuration.encodesAVIFInBackground ? .avif : nil
        let accepted = AcceptHeader(upload.request.accept)
        let negotiation = target.negotiation(accepted, without: excluded)
        let format = ImageFormat(sniffing: data)
        let isOriginal =
            format.map { format in
                format != .svg && target.rendering.isOriginal(format, negotiated: negotiation.format)
            } ?? false
        let made =
            isOriginal ? target.original : try await upload.requests().request(for: negotiation)
        guard let made else {
            throw RequestError(.unsupportedFormat, detail: "no format for \(upload.request.target.quoted)")
        }
        return try await uploading.value(
            for: uploadNumbers.next(),
            atMost: max(.zero, deadline - .now)
        ) { [pipeline, made] context in
            .value(try await pipeline.data(of: data, for: made, priority: context.priority))
        }
    }

    private func answer(
        _ image: EncodedImage,
        to upload: Upload,
        _ record: ServiceRecord
    ) -> ServiceResponse {
        let fields = [
            HeaderField("Cache-Control", CachingHeaders.errorCacheControl),
            HeaderField("X-Content-Type-Options", "nosniff"),
            HeaderField("Server-Timing", record.timings.serverTiming(total: record.duration)),
        ]
        return ServiceResponse(
            status: 200,
            fields: fields + contentFields(of: image, upload.target),
            body: image.data
        )
    }
}

/// Numbers that are never repeated.
final class UploadNumbers: Sendable {
    private let last = Guarded(0)

    func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
