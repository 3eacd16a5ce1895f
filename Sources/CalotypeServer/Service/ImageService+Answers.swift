import Calotype
import CalotypeCore
import CalotypeLoading
import FoundationEssentials

/// Creation of responses from images and errors.
extension ImageService {
    func answer(
        _ image: EncodedImage,
        _ target: ParsedTarget,
        _ request: ServiceRequest,
        _ record: inout ServiceRecord,
        isInterim: Bool = false
    ) -> ServiceResponse {
        record.cache = image.cacheOutcome
        if let clock = image.clock {
            (record.timings, record.sharesWork) = (clock.timings, !clock.mayBeCounted())
        }
        let now = configuration.timeSource.now()
        // An interim response has its own fields.
        let known =
            isInterim
            ? head(of: image, target, isInterim: true, at: now)
            : target.recentHeads.head(of: image, at: now) { head(of: image, target, at: now) }
        let hasIt = ConditionalRequest.isNotModified(
            ifNoneMatch: request.ifNoneMatch,
            ifModifiedSince: request.ifModifiedSince,
            entityTag: known.entityTag,
            lastModified: image.receivedAt
        )
        guard !hasIt else { return ServiceResponse(status: 304, fields: known.fields) }
        return ServiceResponse(status: 200, fields: known.fields + known.contentFields, body: image.data)
    }

    private func head(
        of image: EncodedImage,
        _ target: ParsedTarget,
        isInterim: Bool = false,
        at now: Timestamp
    ) -> ResponseFields {
        let tag = image.entityTag
        var fields = [
            HeaderField("ETag", tag), HeaderField("X-Cache", image.cacheOutcome.rawValue),
            HeaderField("X-Content-Type-Options", "nosniff"),
        ]
        // An interim or stale response must not be cached as long as the final one.
        fields += cachingFields(of: target, isInterim: isInterim || image.isStale, at: now)
        if let date = image.receivedAt { fields.append(HeaderField("Last-Modified", HTTPDate(date).text)) }
        return ResponseFields(
            entityTag: tag,
            fields: fields + variationFields(of: target),
            contentFields: contentFields(of: image, target)
        )
    }

    /// Returns the fields that name the request fields on which an image of a target depends.
    private func variationFields(of target: ParsedTarget) -> [HeaderField] {
        let varies = target.rendering.isNegotiated && !configuration.offers.isEmpty
        let hints = target.isHinted ? ClientHints.fieldNames : []
        let names = (varies ? ["Accept"] : []) + hints
        guard !names.isEmpty else { return [] }
        let vary = HeaderField("Vary", names.joined(separator: ", "))
        return hints.isEmpty ? [vary] : [vary, HeaderField("Accept-CH", hints.joined(separator: ", "))]
    }

    /// Returns the fallback in place of an error, with the code and the status of the error in `X-Fallback`.
    func answer(
        _ image: EncodedImage,
        by fallback: FallbackImage,
        _ target: ParsedTarget,
        _ problem: ProblemDocument
    ) -> ServiceResponse {
        let lifetime = fallback.maxAge.map { "public, max-age=\($0.components.seconds)" }
        let fields = [
            HeaderField("Cache-Control", lifetime ?? CachingHeaders.errorCacheControl),
            HeaderField("X-Content-Type-Options", "nosniff"),
            HeaderField("X-Fallback", "\(problem.code);status=\(problem.status)"),
        ]
        return ServiceResponse(
            status: fallback.status ?? problem.status,
            fields: fields + variationFields(of: target) + contentFields(of: image, target),
            body: image.data
        )
    }

    func contentFields(of image: EncodedImage, _ target: ParsedTarget) -> [HeaderField] {
        let fields = [
            HeaderField("Content-Type", image.info.format.mediaType),
            HeaderField("Content-Disposition", target.disposition.value(for: image.info.format)),
        ]
        return image.info.format == .svg ? fields + [Self.policyOfSVG] : fields
    }

    /// A policy under which browsers run and load nothing, and treat the document as having an opaque origin.
    private static let policyOfSVG = HeaderField(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    )

    /// Returns the caching fields of a response; `no-store` if the origin forbids caching the original.
    private func cachingFields(
        of target: ParsedTarget,
        isInterim: Bool,
        at now: Timestamp
    ) -> [HeaderField] {
        guard mayKeepResult(of: target) else {
            return [HeaderField("Cache-Control", CachingHeaders.errorCacheControl)]
        }
        return configuration.caching.fields(
            for: target.rendering.delivery,
            freshness(of: target, at: now),
            isInterim: isInterim,
            at: now
        )
    }

    /// Whether the origin allows caching an original; its response record exists only while it is cached.
    func mayBeKept(_ target: ParsedTarget) -> Bool {
        target.rendering.source.scheme == "local" || pipeline.record(of: target.original) != nil
    }

    func answer(_ problem: ProblemDocument, _ accepted: AcceptHeader) -> ServiceResponse {
        let isJSON = ProblemDocument.isAccepted(by: accepted)
        var fields = [
            HeaderField("Content-Type", isJSON ? ProblemDocument.mediaType : "text/plain; charset=utf-8"),
            HeaderField("Cache-Control", CachingHeaders.errorCacheControl),
            HeaderField("X-Content-Type-Options", "nosniff"),
        ]
        if problem.status == 401 { fields.append(HeaderField("WWW-Authenticate", "Bearer")) }
        if problem.status == 503 {
            let seconds = max(1, configuration.retryAfter.components.seconds)
            fields.append(HeaderField("Retry-After", "\(seconds)"))
        }
        return ServiceResponse(
            status: problem.status,
            fields: fields,
            body: isJSON ? problem.json : problem.text
        )
    }
}

extension EncodedImage {
    /// The value of `X-Cache`.
    fileprivate var cacheOutcome: CacheOutcome {
        if isStale { return .stale }
        switch source {
        case .memory: return .memory
        case .disk where !isNew: return clock == nil ? .disk : .revalidated
        default: return .miss
        }
    }
}
