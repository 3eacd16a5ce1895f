import CalotypeCore

// The lifetime of a redirected response is limited by its redirects: RFC 9110 §15.4 allows storing 301 and
// 308 by default, and the others only with an explicit lifetime.

extension RecordedFields {
    init(_ response: FetchResponse, receivedAt: Timestamp) {
        self.init(response.headers)
        guard let lifetime = response.redirects.compactMap({ $0.lifetime(at: receivedAt) }).min() else {
            return
        }
        // Whole seconds, as everywhere in HTTP; the text fits.
        _ = set(.redirectLifetime, String(max(0, lifetime.components.seconds)))
    }

    /// The time for which the redirects were valid at the receipt of the response; `nil` if unlimited.
    var redirectLifetime: Duration? {
        self[.redirectLifetime].map { .seconds(deltaSeconds($0) ?? 0) }
    }
}

extension FetchRedirect {
    /// Returns the time for which the redirect is valid from now on; `nil` for a permanent one without an
    /// explicit lifetime.
    fileprivate func lifetime(at now: Timestamp) -> Duration? {
        let told = CacheControl(headers)
        if told.isNoCache || told.isNoStore { return .zero }
        let isPermanent = status == 301 || status == 308
        let isTold = told.maxAge != nil || headers.firstValue(of: "expires") != nil
        guard isTold || !isPermanent else { return nil }
        let record = ResponseRecord(
            status: status,
            sentAt: now,
            receivedAt: now,
            selector: .nothing,
            fields: RecordedFields(headers)
        )
        return record.freshUntil.duration(since: now)
    }
}
