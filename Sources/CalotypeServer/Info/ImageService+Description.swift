import Calotype
import CalotypeCore
import CalotypeLoading
import FoundationEssentials

extension ImageService {
    /// Returns the response to `/info/…`: a description of an original, by the URL of an image.
    func description(
        of target: ParsedTarget,
        for request: ServiceRequest,
        until deadline: ContinuousClock.Instant,
        _ record: inout ServiceRecord
    ) async throws -> ServiceResponse {
        try await pipeline.withData(for: target.original, until: deadline) { original in
            try await description(of: original, target, for: request, until: deadline, &record)
        }
    }

    /// Returns the response with the description of an original, whose bytes count until it is described.
    private func description(
        of original: EncodedImage,
        _ target: ParsedTarget,
        for request: ServiceRequest,
        until deadline: ContinuousClock.Instant,
        _ record: inout ServiceRecord
    ) async throws -> ServiceResponse {
        let tag = original.entityTag
        let showsExif = target.rendering.description.includesExif
        // The fragment is not part of the address by which descriptions are purged.
        let key = ImageKey(target.original.url.absoluteString + (showsExif ? "" : "#without-exif"))
        let known = descriptions[key].flatMap { $0.entityTag == tag ? $0.json : nil }
        record.cache = known == nil ? .miss : .memory
        let body =
            if let known { known } else {
                try await describe(original, tag, target, key, until: deadline)
            }
        let detail =
            !showsExif ? "-without-exif" : configuration.describesLocation ? "-with-location" : ""
        let own = "\"\(tag.dropFirst().dropLast())-info2\(detail)\""
        var fields = [
            HeaderField("ETag", own),
            HeaderField("Cache-Control", mayBeKept(target) ? "no-cache" : CachingHeaders.errorCacheControl),
            HeaderField("X-Cache", (record.cache ?? .miss).rawValue),
            HeaderField("X-Content-Type-Options", "nosniff"),
        ]
        if let date = original.receivedAt { fields.append(HeaderField("Last-Modified", HTTPDate(date).text)) }
        let hasIt = ConditionalRequest.isNotModified(
            ifNoneMatch: request.ifNoneMatch,
            ifModifiedSince: request.ifModifiedSince,
            entityTag: own,
            lastModified: original.receivedAt
        )
        guard !hasIt else {
            return ServiceResponse(status: 304, fields: fields)
        }
        fields.append(HeaderField("Content-Type", "application/json"))
        return ServiceResponse(status: 200, fields: fields, body: body)
    }

    /// Describes an image, once for all concurrent requests, and caches the description.
    private func describe(
        _ original: EncodedImage,
        _ tag: String,
        _ target: ParsedTarget,
        _ key: ImageKey,
        until deadline: ContinuousClock.Instant
    ) async throws -> Data {
        try await describing.value(
            for: DescriptionKey(source: key, entityTag: tag),
            atMost: max(.zero, deadline - .now)
        ) { [self] context in
            let made = try await describe(original, target, context.priority)
            guard mayBeKept(target) else { return .value(made) }
            descriptions.insert(
                ImageDescription.Box(made, of: tag),
                forKey: key,
                cost: made.count + key.entryByteCount
            )
            return .value(made)
        }
    }

    /// Decodes a small image; the decode waits for a permit of the work gate.
    private func describe(
        _ original: EncodedImage,
        _ target: ParsedTarget,
        _ priority: LivePriority
    ) async throws -> Data {
        var decoding = target.original.decoding
        // The other frames are not decoded, but their durations are known.
        (decoding.target, decoding.frames) = (.fit(width: 100, height: 100), .all)
        let small = try await pipeline.image(
            from: original.data,
            decoding: decoding,
            priority: priority.value
        )
        let (info, data, codecs) = (original.info, original.data, configuration.encodings.codecs)
        let (showsExif, showsLocation) = (
            target.rendering.description.includesExif, configuration.describesLocation
        )
        return try await pipeline.compute {
            var details = codecs.details(of: data)
            if !showsExif { details.exif = nil }
            if !showsLocation { details.exif?.location = nil }
            return try ImageDescription(info, details, byteCount: data.count, small: small).json
        }
    }
}

struct DescriptionKey: Hashable, Sendable {
    let source: ImageKey
    let entityTag: String
}
