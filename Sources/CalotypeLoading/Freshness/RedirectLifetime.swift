import CalotypeCore

// What is kept for a URL that redirects is kept no longer than the redirects hold: RFC 9110 §15.4 lets 301
// and 308 be kept without being told so, and the others only with a lifetime.

extension KeptFields {
    /// Keeps what matters of an answer.
    init(_ response: FetchResponse, receivedAt: Timestamp) {
        self.init(response.headers)
        guard let lifetime = response.redirects.compactMap({ $0.lifetime(at: receivedAt) }).min() else {
            return
        }
        // Whole seconds, as everywhere in HTTP; the number fits.
        _ = set(.redirectLifetime, String(max(0, lifetime.components.seconds)))
    }

    /// For how long the redirects that led to the answer held when it came; `nil` where nothing says so.
    var redirectLifetime: Duration? {
        self[.redirectLifetime].map { .seconds(deltaSeconds($0) ?? 0) }
    }
}

extension FetchRedirect {
    /// For how long it holds from now on; `nil` for one that is permanent and says nothing else.
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
            fields: KeptFields(headers)
        )
        return record.freshUntil.duration(since: now)
    }
}
