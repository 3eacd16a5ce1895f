import Calotype
import CalotypeCore
import CalotypeLoading
import FoundationEssentials

/// From a picture, or an error, to the answer's fields.
extension ImageService {
    func answer(
        _ image: EncodedImage,
        _ target: UnderstoodTarget,
        _ request: ServiceRequest,
        _ log: inout AnswerLog,
        isInterim: Bool = false
    ) -> ServiceAnswer {
        let (rendering, tag) = (target.rendering, image.entityTag)
        log.cache = image.cacheOutcome
        if let clock = image.clock { log.timings = ServiceTimings(clock.timings) }
        var fields = [
            HeaderField("ETag", tag), HeaderField("X-Cache", image.cacheOutcome.rawValue),
            HeaderField("X-Content-Type-Options", "nosniff"),
        ]
        fields += cachingFields(of: target, isInterim: isInterim)
        let lastModified = image.receivedAt
        if let lastModified { fields.append(HeaderField("Last-Modified", HTTPDate(lastModified).text)) }
        if rendering.isNegotiated, !configuration.offers.isEmpty {
            fields.append(HeaderField("Vary", "Accept"))
        }
        let isKnown = Conditions.isNotModified(
            ifNoneMatch: request.ifNoneMatch,
            ifModifiedSince: request.ifModifiedSince,
            entityTag: tag,
            lastModified: lastModified
        )
        guard !isKnown else { return ServiceAnswer(status: 304, fields: fields) }
        fields += contentFields(of: image, target)
        return ServiceAnswer(status: 200, fields: fields, body: image.data)
    }

    func answer(fallback image: EncodedImage, _ target: UnderstoodTarget, status: Int) -> ServiceAnswer {
        let fields = [
            HeaderField("Cache-Control", CachingFields.ofErrors),
            HeaderField("X-Content-Type-Options", "nosniff"),
        ]
        return ServiceAnswer(
            status: status,
            fields: fields + contentFields(of: image, target),
            body: image.data
        )
    }

    private func contentFields(of image: EncodedImage, _ target: UnderstoodTarget) -> [HeaderField] {
        [
            HeaderField("Content-Type", image.info.format.mediaType),
            HeaderField("Content-Disposition", target.disposition.value(for: image.info.format)),
        ]
    }

    /// How long others may keep an answer: not at all where its origin forbids to keep the original.
    private func cachingFields(of target: UnderstoodTarget, isInterim: Bool) -> [HeaderField] {
        let now = configuration.timeSource.now()
        let record = pipeline.record(of: target.original)
        guard target.rendering.source.scheme == "local" || record != nil else {
            return [HeaderField("Cache-Control", CachingFields.ofErrors)]
        }
        return configuration.caching.fields(
            for: target.rendering.delivery,
            record,
            isInterim: isInterim,
            at: now
        )
    }

    func answer(_ problem: ProblemDocument, _ accepted: AcceptedTypes) -> ServiceAnswer {
        let isJSON = ProblemDocument.isTaken(by: accepted)
        var fields = [
            HeaderField("Content-Type", isJSON ? ProblemDocument.mediaType : "text/plain; charset=utf-8"),
            HeaderField("Cache-Control", CachingFields.ofErrors),
            HeaderField("X-Content-Type-Options", "nosniff"),
        ]
        if problem.status == 503 {
            let seconds = max(1, configuration.retryAfter.components.seconds)
            fields.append(HeaderField("Retry-After", "\(seconds)"))
        }
        return ServiceAnswer(
            status: problem.status,
            fields: fields,
            body: isJSON ? problem.json : problem.text
        )
    }
}

extension EncodedImage {
    /// Where an answer came from.
    fileprivate var cacheOutcome: CacheOutcome {
        if isStale { return .stale }
        switch source {
        case .memory: return .memory
        case .disk where !isNew: return .disk
        default: return .miss
        }
    }
}

extension ServiceTimings {
    /// What a pipeline has measured, without what was not needed.
    init(_ timings: StageTimings) {
        func known(_ duration: Duration) -> Duration? { duration > .zero ? duration : nil }
        (queue, fetch, decode) = (known(timings.queue), known(timings.fetch), known(timings.decode))
        (transform, encode) = (known(timings.transform), known(timings.encode))
    }
}
