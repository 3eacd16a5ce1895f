public import CalotypeCore

extension ResponseRecord {
    /// The header fields that ask the origin whether the content has changed; none where it gave no means to.
    ///
    /// `If-None-Match` with the entity tag and `If-Modified-Since` with the date of the last change, both as
    /// they came (RFC 9111 §4.3.1). They belong to the URL that gave the answer, after redirects; see
    /// ``conditions``.
    public var conditionalHeaders: [HeaderField] {
        var headers: [HeaderField] = []
        if let entityTag, !entityTag.isEmpty { headers.append(HeaderField("If-None-Match", entityTag)) }
        if lastModified != nil, let text = fields[.lastModified] {
            headers.append(HeaderField("If-Modified-Since", text))
        }
        return headers
    }

    /// The ``conditionalHeaders`` for the URL that gave the answer; `nil` where the origin gave no means to
    /// ask, or the URL is not known, as in records of earlier versions.
    public var conditions: FetchConditions? {
        let headers = conditionalHeaders
        guard !headers.isEmpty, let source = fields[.source] else { return nil }
        return FetchConditions(headers) { $0.sourceDigest == source }
    }

    /// The record after the origin has confirmed the content with a 304.
    ///
    /// What the answer says replaces what was kept (RFC 9111 §3.2); the content's type stays.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - request: The request that it answers.
    ///   - sentAt: When the request was sent; the time of receipt when it is not known.
    ///   - receivedAt: When the head of the answer came.
    /// - Returns: `nil` where the answer is not a 304, or is about other content than was kept, by its URL or
    ///   its validators (RFC 9111 §4.3.4): the whole is then to be loaded without conditions.
    public func renewed(
        by response: FetchResponse,
        to request: FetchRequest,
        sentAt: Timestamp? = nil,
        receivedAt: Timestamp
    ) -> ResponseRecord? {
        var told = response
        told.headers.removeAll { $0.isNamed("content-type") }
        let newer = KeptFields(told, receivedAt: receivedAt)
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

    /// Whether another record is of the same URL and has the same validators.
    package func hasValidators(of other: ResponseRecord?) -> Bool {
        let names: [KeptFields.Name] = [.source, .entityTag, .lastModified]
        return names.allSatisfy { fields[$0] == other?.fields[$0] }
    }

    /// Whether the validators do not say that the answer is about other content.
    private func isAbout(_ newer: KeptFields) -> Bool {
        if let old = fields[.entityTag], let new = newer[.entityTag] {
            return EntityTag(old).matchesWeakly(EntityTag(new))
        }
        if let old = fields[.lastModified], let new = newer[.lastModified] { return old == new }
        return true
    }
}
