import Calotype
import CalotypeCore
import FoundationEssentials

/// The path from a request to the image that answers it.
extension ImageService {
    func picture(
        of target: ParsedTarget,
        for request: ServiceRequest,
        until deadline: ContinuousClock.Instant,
        _ record: inout ServiceRecord
    ) async throws -> ServiceResponse {
        let rendering = target.rendering
        let accepted = AcceptHeader(request.accept)
        let negotiation = target.negotiation(accepted)
        let negotiated = negotiation.format
        if mayBeOriginal(rendering) {
            let image = try await pipeline.data(for: target.original, until: deadline)
            if try isOriginal(image, rendering, negotiated: negotiated) {
                return answer(image, target, request, &record)
            }
        }
        let name = name(of: request)
        let requests = try await requests(of: target, named: name, until: deadline)
        if negotiated == .avif, configuration.encodesAVIFInBackground,
            let (interim, avif) = try await interim(for: requests, accepted, until: deadline)
        {
            let image = try await data(for: interim, of: target, until: deadline)
            // Only now, so that no origin that hangs uses up the limit. Without a cached original the AVIF
            // would not be cached either.
            if mayKeepResult(of: target) { workBehind.make(avif, for: name, by: pipeline) }
            return answer(image, target, request, &record, isInterim: true)
        }
        guard let made = try requests.request(for: negotiation) else {
            throw RequestError(.unsupportedFormat, detail: "no output format for \(request.target.quoted)")
        }
        let image = try await data(for: made, of: target, until: deadline)
        return answer(image, target, request, &record, isInterim: requests.hasStaleWatermark)
    }

    /// Whether the response may be the original's bytes, before its format is known.
    private func mayBeOriginal(_ rendering: Rendering) -> Bool {
        rendering.output == .original || !rendering.passthrough.isEmpty
            || configuration.passesSVGThrough && rendering.isPlain
    }

    /// Whether the response is the original's bytes.
    ///
    /// - Throws: ``RequestError`` for the bytes of an SVG that is not passed through.
    private func isOriginal(
        _ image: EncodedImage,
        _ rendering: Rendering,
        negotiated: ImageFormat?
    ) throws(RequestError) -> Bool {
        guard image.info.format == .svg else {
            return rendering.isOriginal(image.info.format, negotiated: negotiated)
        }
        // Gzip would need a `Content-Encoding`, and is not recognised by this sniffing.
        let isGiven = configuration.passesSVGThrough && ImageFormat(sniffing: image.data) == .svg
        guard rendering.output == .original else {
            return isGiven && rendering.isNegotiated
                && (rendering.isPlain || rendering.passthrough.contains(.svg))
        }
        guard isGiven else {
            throw RequestError(
                .unsupportedFormat,
                option: "raw",
                detail: "raw SVG needs svg set to pass-through, and gzipped SVG is not supported"
            )
        }
        return true
    }

    /// Returns the interim request for an AVIF that is not cached, and the request for the AVIF; `nil` if the
    /// client gets AVIF.
    private func interim(
        for requests: TargetRequests,
        _ accepted: AcceptHeader,
        until deadline: ContinuousClock.Instant
    ) async throws -> (interim: ImageRequest, avif: ImageRequest)? {
        guard let avif = try requests.request(for: Negotiation(format: .avif)),
            let format = accepted.best(of: configuration.offers.filter { $0 != .avif }),
            let interim = try requests.request(for: Negotiation(format: format))
        else { return nil }
        do {
            // The other half of the time is for the interim response.
            let limit = max(.zero, deadline - .now) / 2
            if try await pipeline.keepsVariant(of: avif, within: limit) { return nil }
        } catch is LoadError {
            // A failure of a store counts as a miss, as in every load.
        }
        return (interim, avif)
    }

    /// Returns the response to a failure: an error, or the fallback image.
    func response(
        toFailure error: any Error,
        of request: ServiceRequest,
        until deadline: ContinuousClock.Instant,
        _ record: inout ServiceRecord
    ) async -> ServiceResponse {
        let error = WatermarkError(in: error) ?? error
        let problem = problem(ofFailure: error, isLate: deadline <= .now, &record)
        if let answer = redirection(after: error, request) { return answer }
        if let answer = await fallback(for: error, problem, request, until: deadline) { return answer }
        return answer(problem, AcceptHeader(request.accept))
    }

    /// Returns the document for an error, and completes the record.
    func problem(
        ofFailure error: any Error,
        isLate: Bool,
        _ record: inout ServiceRecord
    ) -> ProblemDocument {
        var problem = ProblemDocument(ofFailure: error, isLate: isLate)
        (record.errorCode, record.errorDetail) = (problem.code, "\(error)")
        (record.errorStep, record.status) = (Self.step(of: error), problem.status)
        problem.setting = configuration.settingBehind?(record)
        return problem
    }

    /// Returns a redirection to the source, if the URL asks for it in place of an error.
    private func redirection(after error: any Error, _ request: ServiceRequest) -> ServiceResponse? {
        guard error is LoadError,
            let place = targets.known(request.target)?.rendering.delivery.errorRedirect
        else { return nil }
        let fields = [
            HeaderField("Location", place),
            HeaderField("Cache-Control", CachingHeaders.errorCacheControl),
        ]
        return ServiceResponse(status: 302, fields: fields)
    }

    /// Returns the step that an error comes from, in the words of `Server-Timing`.
    private static func step(of error: any Error) -> String? {
        switch error {
        case is RequestError: "url"
        case let error as WatermarkError: step(of: error.underlying)
        case let error as LoadError: error.awaitedStep ?? (error.stage == .load ? "fetch" : error.stage.label)
        default: nil
        }
    }

    /// Returns the fallback, rendered as the URL asks; `nil` if there is none, or it does not apply to this
    /// error.
    private func fallback(
        for error: any Error,
        _ problem: ProblemDocument,
        _ request: ServiceRequest,
        until deadline: ContinuousClock.Instant
    ) async -> ServiceResponse? {
        guard let fallback = configuration.fallback, let fallbackURL, error is LoadError,
            fallback.replaces(problem.status),
            let target = targets.known(request.target, hints(of: request))
        else { return nil }
        let negotiation = target.negotiation(AcceptHeader(request.accept), without: .avif)
        do {
            let requests = try await requests(of: target, named: name(of: request), until: deadline)
            guard var made = try requests.request(for: negotiation) else { return nil }
            (made.url, made.decoding.pages) = (fallbackURL, nil)
            let image = try await data(for: made, of: target, until: deadline)
            return answer(image, by: fallback, target, problem)
        } catch {
            // The original error is reported instead.
            return nil
        }
    }
}

extension ProblemDocument {
    /// Creates the document for any error; `isLate` if the request has used all of its time, whichever party
    /// is responsible.
    init(ofFailure error: any Error, isLate: Bool) {
        switch error {
        case let error as LoadError where isLate && error.code == .timedOut && !error.exceededWorkTime:
            self.init(status: 503, code: error.code.label, title: "Request timed out")
        case let error as RequestError: self.init(error)
        case let error as LoadError: self.init(error)
        case let error as WatermarkError:
            self.init(ofWatermark: ProblemDocument(ofFailure: error.underlying, isLate: isLate))
        default: self.init(status: 500, code: "other", title: "Internal error")
        }
    }
}
