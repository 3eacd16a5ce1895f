public import CalotypeCore

extension ResponseRecord {
    /// The header fields for revalidation; empty if the response has no validators.
    ///
    /// `If-None-Match` with the entity tag and `If-Modified-Since` with the date of the last modification,
    /// both as received (RFC 9111 §4.3.1). They belong to the URL of the response, after redirects; see
    /// ``conditions``.
    public var conditionalHeaders: [HeaderField] {
        var headers: [HeaderField] = []
        if let entityTag, !entityTag.isEmpty { headers.append(HeaderField("If-None-Match", entityTag)) }
        if lastModified != nil, let text = fields[.lastModified] {
            headers.append(HeaderField("If-Modified-Since", text))
        }
        return headers
    }

    /// The ``conditionalHeaders`` for the URL of the response; `nil` if there are no validators, or the URL
    /// is unknown, as in records of earlier versions.
    public var conditions: FetchConditions? {
        let headers = conditionalHeaders
        guard !headers.isEmpty, let source = fields[.source] else { return nil }
        return FetchConditions(headers) { $0.sourceDigest == source }
    }

    /// Returns the record after the origin has confirmed the content with a 304.
    ///
    /// The fields of the response replace the recorded ones (RFC 9111 §3.2), except the content type.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request.
    ///   - sentAt: The time when the request was sent; the time of receipt if unknown.
    ///   - receivedAt: The time when the response's header was received.
    /// - Returns: `nil` if the response is not a 304, or its URL or validators refer to different content
    ///   (RFC 9111 §4.3.4): the content must then be loaded without conditions.
    public func renewed(
        by response: FetchResponse,
        to request: FetchRequest,
        sentAt: Timestamp? = nil,
        receivedAt: Timestamp
    ) -> ResponseRecord? {
        var told = response
        told.headers.removeAll { $0.isNamed("content-type") }
        let newer = RecordedFields(told, receivedAt: receivedAt)
        guard response.status == 304, fields[.source] == response.url.sourceDigest, isAbout(newer) else {
            return nil
        }
        let vary = response.headers.combinedValue(of: "vary")
        return ResponseRecord(
            status: status,
            sentAt: sentAt ?? receivedAt,
            receivedAt: receivedAt,
            selector: VariantSelector(request, vary: vary ?? selector.vary),
            fields: fields.updated(by: newer)
        )
    }

    /// Returns whether another record has the same URL and validators.
    package func hasValidators(of other: ResponseRecord?) -> Bool {
        let names: [RecordedFields.Name] = [.source, .entityTag, .lastModified]
        return names.allSatisfy { fields[$0] == other?.fields[$0] }
    }

    /// Returns whether another record has the same URL and the same strong entity tag, which imply equal
    /// bytes (RFC 9110 §8.8.1).
    package func hasSameBytes(as other: ResponseRecord?) -> Bool {
        guard let entityTag, EntityTag(entityTag).isStrong else { return false }
        return hasValidators(of: other)
    }

    /// Returns whether the validators are compatible with the recorded ones.
    private func isAbout(_ newer: RecordedFields) -> Bool {
        if let old = fields[.entityTag], let new = newer[.entityTag] {
            return EntityTag(old).matchesWeakly(EntityTag(new))
        }
        if let old = fields[.lastModified], let new = newer[.lastModified] { return old == new }
        return true
    }
}
