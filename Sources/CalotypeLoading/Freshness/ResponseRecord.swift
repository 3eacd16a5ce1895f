public import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// A record of a response, for judging its freshness and revalidating it later.
///
/// It is encoded into the opaque metadata of a cache entry, with at most 4,096 bytes. It contains the status,
/// the times of the exchange, the fields `Cache-Control`, `Expires`, `Date`, `Age`, `ETag`, `Last-Modified`
/// and `Content-Type`, the lifetime of the redirects, a digest of the response's URL, the names listed by
/// `Vary`, and a digest of the request's values for them. A value that is too long, or has control
/// characters, is replaced conservatively: a `Cache-Control` of more than 1,024 bytes by `no-cache`, an
/// `Expires` of more than 64 by an expired one, an `Age` of more than 32 by the greatest; `ETag` (1,024),
/// `Date` and `Last-Modified` (64) and `Content-Type` (256) are omitted.
///
/// The cache is a *private* one in terms of RFC 9111: `s-maxage`, `proxy-revalidate` and `private` do not
/// apply, and responses to requests with credentials are stored like others, each under its own key.
public struct ResponseRecord: Hashable, Sendable {
    /// The status of the response.
    public let status: Int
    /// The time when the request was sent.
    public let sentAt: Timestamp
    /// The time when the response's header was received.
    public let receivedAt: Timestamp
    let selector: VariantSelector
    let fields: RecordedFields

    /// Records a response; `nil` if it must not be stored.
    ///
    /// It must not be stored if the request is not a plain GET; if the request, the response or a redirect
    /// has `no-store`; if it is a partial response or a 304; or if its status requires an explicit permission
    /// that is missing (RFC 9111 §3).
    ///
    /// - Parameters:
    ///   - request: The request, as passed to the loader.
    ///   - response: The response; its body is not read.
    ///   - sentAt: The time when the request was sent, from which age counts; the time of receipt if unknown.
    ///   - receivedAt: The time when the response's header was received.
    public init?(
        request: FetchRequest,
        response: FetchResponse,
        sentAt: Timestamp? = nil,
        receivedAt: Timestamp
    ) {
        guard request.isPlainGet, Self.mayBeStored(response, for: request) else { return nil }
        var fields = RecordedFields(response, receivedAt: receivedAt)
        // A digest always fits.
        _ = fields.set(.source, response.url.sourceDigest)
        self.init(
            status: response.status,
            sentAt: sentAt ?? receivedAt,
            receivedAt: receivedAt,
            selector: VariantSelector(request, vary: response.headers.combinedValue(of: "vary") ?? ""),
            fields: fields
        )
    }

    init(
        status: Int,
        sentAt: Timestamp,
        receivedAt: Timestamp,
        selector: VariantSelector,
        fields: RecordedFields
    ) {
        self.status = status
        self.sentAt = min(sentAt, receivedAt)
        self.receivedAt = receivedAt
        self.selector = selector
        self.fields = fields
    }

    /// The entity tag, as received.
    public var entityTag: String? { fields[.entityTag] }

    /// The time of the last modification, if the response has a valid date for it.
    public var lastModified: Timestamp? { time(.lastModified) }

    /// The content type, as received.
    public var contentType: String? { fields[.contentType] }

    /// The size of all recorded texts in bytes.
    package var byteCount: Int { selector.vary.utf8.count + fields.byteCount }

    func time(_ field: RecordedFields.Name) -> Timestamp? {
        fields[field].flatMap { HTTPDate($0, near: receivedAt)?.timestamp }
    }

    /// The statuses whose responses may be stored, with a heuristic lifetime, without an explicit permission.
    ///
    /// RFC 9110 §15.1, without 206: partial responses are not stored.
    static let heuristicStatuses: Set = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    private static func mayBeStored(_ response: FetchResponse, for request: FetchRequest) -> Bool {
        guard response.status >= 200, response.status != 206, response.status != 304 else { return false }
        guard response.status <= 999, !response.forbidsStoring(for: request) else { return false }
        let told = CacheControl(response.headers)
        let isUnderstood = heuristicStatuses.contains(response.status)
        guard isUnderstood || !told.isMustUnderstand else { return false }
        return isUnderstood || told.isExplicitlyStorable || told.maxAge != nil
            || response.headers.firstValue(of: "expires") != nil
    }
}

extension FetchResponse {
    /// Returns whether the request, the response or a redirect has `no-store` (RFC 9111 §5.2).
    package func forbidsStoring(for request: FetchRequest) -> Bool {
        CacheControl(request.headers).isNoStore || CacheControl(headers).forbidsStoring
            || redirects.contains { CacheControl($0.headers).isNoStore }
    }
}

extension URL {
    /// The digest that identifies a response's URL in a record; a URL may contain secrets and have any
    /// length.
    package var sourceDigest: String {
        MessageDigest.sha256(requestText).prefix(16).hexadecimalDigits
    }
}
