import Calotype
import CalotypeCore
import FoundationEssentials

/// From a request to the picture that answers it.
extension ImageService {
    func picture(
        for request: ServiceRequest,
        until deadline: ContinuousClock.Instant,
        _ log: inout AnswerLog
    ) async throws -> ServiceAnswer {
        if request.target.hasPrefix("\(Self.infoPrefix)/") {
            let target = String(request.target.dropFirst(Self.infoPrefix.count))
            return try await description(at: target, of: request, until: deadline, &log)
        }
        let target = try understand(request.target)
        log.source = target.sourceText
        let rendering = target.rendering
        let accepted = AcceptedTypes(request.accept)
        let negotiated = rendering.isNegotiated ? accepted.best(of: configuration.offers) : nil
        if mayBeOriginal(rendering) {
            let image = try await data(for: target.original, until: deadline)
            if try isOriginal(image, rendering, negotiated: negotiated) {
                return answer(image, target, request, &log)
            }
        }
        if negotiated == .avif, configuration.makesAVIFBehind,
            let interim = try await interim(for: request.target, target, accepted)
        {
            let image = try await data(for: interim, until: deadline)
            return answer(image, target, request, &log, isInterim: true)
        }
        guard let made = target.requests[negotiated] ?? target.requests[nil] else {
            throw RequestError(.unsupportedFormat, detail: "no request was made of \(request.target.quoted)")
        }
        return answer(try await data(for: made, until: deadline), target, request, &log)
    }

    /// A picture, for which a client waits no longer than for all that its answer needs.
    func data(
        for request: ImageRequest,
        until deadline: ContinuousClock.Instant
    ) async throws -> EncodedImage {
        var request = request
        request.timeout = max(.zero, deadline - .now)
        return try await pipeline.data(for: request)
    }

    /// Whether the original's own bytes may be the answer, before its format is known.
    private func mayBeOriginal(_ rendering: Rendering) -> Bool {
        rendering.output == .original || !rendering.passthrough.isEmpty
            || configuration.passesSVGThrough && rendering.isPlain
    }

    /// Whether they are.
    ///
    /// - Throws: ``RequestError`` for the bytes of an SVG where it is not passed through.
    private func isOriginal(
        _ image: EncodedImage,
        _ rendering: Rendering,
        negotiated: ImageFormat?
    ) throws(RequestError) -> Bool {
        guard image.info.format == .svg else {
            return rendering.isOriginal(image.info.format, negotiated: negotiated)
        }
        // What gzip has made would need a field of its own, and is not recognised so.
        let isGiven = configuration.passesSVGThrough && ImageFormat(sniffing: image.data) == .svg
        guard rendering.output == .original else {
            return isGiven && rendering.isNegotiated
                && (rendering.isPlain || rendering.passthrough.contains(.svg))
        }
        guard isGiven else {
            throw RequestError(
                .unsupportedFormat,
                option: "raw",
                detail: "an SVG is given as it is where svg is pass-through, and svgz never"
            )
        }
        return true
    }

    /// What a target asks for, from memory where it has been asked for before.
    func understand(_ target: String) throws(RequestError) -> UnderstoodTarget {
        let key = ImageKey(target)
        if let known = understood[key] {
            try known.rendering.delivery.check(at: configuration.timeSource.now())
            return known
        }
        let new = try UnderstoodTarget(try rendering(of: target), configuration)
        understood.insert(new, forKey: key, cost: new.cost(of: target))
        return new
    }

    /// What is answered in place of an AVIF that nobody has made yet, which is then made behind it; `nil`
    /// where the client is to get AVIF.
    private func interim(
        for text: String,
        _ target: UnderstoodTarget,
        _ accepted: AcceptedTypes
    ) async throws -> ImageRequest? {
        guard let avif = target.requests[.avif],
            let format = accepted.best(of: configuration.offers.filter { $0 != .avif }),
            let interim = target.requests[format],
            try await !pipeline.keepsVariant(of: avif)
        else { return nil }
        workBehind.make(avif, for: text, by: pipeline)
        return interim
    }

    /// The answer where there is no picture: an error, or what is shown in its place.
    func answer(
        toFailure error: any Error,
        of request: ServiceRequest,
        until deadline: ContinuousClock.Instant,
        _ log: inout AnswerLog
    ) async -> ServiceAnswer {
        let problem = ProblemDocument(ofFailure: error, isLate: deadline <= .now)
        (log.errorCode, log.errorDetail) = (problem.code, "\(error)")
        log.errorStep = Self.step(of: error)
        if let answer = await fallback(for: error, problem, request, until: deadline) { return answer }
        return answer(problem, AcceptedTypes(request.accept))
    }

    /// The step that an error comes from, in the words of `Server-Timing`.
    private static func step(of error: any Error) -> String? {
        switch error {
        case is RequestError: "url"
        case let error as LoadError: error.awaitedStep ?? (error.stage == .load ? "fetch" : error.stage.label)
        default: nil
        }
    }

    /// The fallback, made as the URL asks; `nil` where there is none, or it is not for this error.
    private func fallback(
        for error: any Error,
        _ problem: ProblemDocument,
        _ request: ServiceRequest,
        until deadline: ContinuousClock.Instant
    ) async -> ServiceAnswer? {
        guard let fallback = configuration.fallback, let fallbackURL, error is LoadError,
            problem.status != 503,
            let target = understood[ImageKey(request.target)]
        else { return nil }
        let negotiated =
            target.rendering.isNegotiated
            ? AcceptedTypes(request.accept).best(of: configuration.offers.filter { $0 != .avif }) : nil
        guard var made = target.requests[negotiated] ?? target.requests[nil] else { return nil }
        made.url = fallbackURL
        do {
            let image = try await data(for: made, until: deadline)
            return answer(fallback: image, target, status: fallback.status ?? problem.status)
        } catch {
            // The error that it was to stand in for is told.
            return nil
        }
    }
}

extension ProblemDocument {
    /// What is told of anything that went wrong; `isLate` where the request has had all of its time, so that
    /// it is no matter whose fault that was.
    init(ofFailure error: any Error, isLate: Bool) {
        switch error {
        case let error as LoadError where isLate && error.code == .timedOut && !error.exceededWorkTime:
            self.init(status: 503, code: error.code.label, title: "The picture took too long")
        case let error as RequestError: self.init(error)
        case let error as LoadError: self.init(error)
        default: self.init(status: 500, code: "other", title: "The service has failed")
        }
    }
}
