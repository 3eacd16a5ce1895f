public import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// What is kept of an answer, to tell later whether it may be used again and to have it validated.
///
/// It is coded into the opaque metadata of a cache entry and takes at most 4,096 bytes. Kept are the status,
/// the times of the exchange, the fields `Cache-Control`, `Expires`, `Date`, `Age`, `ETag`, `Last-Modified`
/// and `Content-Type`, how long the redirects that led there hold, a digest of the URL that answered, the
/// names that `Vary` lists, and a digest of what the request had for them. A value
/// that is too long, or holds control characters, is kept as what is safe: a `Cache-Control` of more than
/// 1,024 bytes as `no-cache`, an `Expires` of more than 64 as expired, an `Age` of more than 32 as the
/// greatest; `ETag` (1,024), `Date` and `Last-Modified` (64) and `Content-Type` (256) are left out.
///
/// The cache is a *private* one in the words of RFC 9111: `s-maxage`, `proxy-revalidate` and `private` do not
/// concern it, and answers to requests with credentials are kept like others, each under a key of its own.
public struct ResponseRecord: Hashable, Sendable {
    /// The status of the answer.
    public let status: Int
    /// When the request was sent.
    public let sentAt: Timestamp
    /// When the head of the answer came.
    public let receivedAt: Timestamp
    let selector: VariantSelector
    let fields: KeptFields

    /// Keeps what matters of an answer; `nil` where it must not be stored.
    ///
    /// It must not where the request is no plain GET, where it, the answer or a redirect to it says
    /// `no-store`, where it is a part of a representation or a 304, and where its status is not one that may
    /// be stored without being told so (RFC 9111 §3).
    ///
    /// - Parameters:
    ///   - request: The request, as it was given to the loader.
    ///   - response: The answer; its body is not touched.
    ///   - sentAt: When the request was sent; the time from then on counts as age. When it is not known, the
    ///     time of receipt.
    ///   - receivedAt: When the head of the answer came.
    public init?(
        request: FetchRequest,
        response: FetchResponse,
        sentAt: Timestamp? = nil,
        receivedAt: Timestamp
    ) {
        guard request.isPlainGet, Self.mayBeStored(response, for: request) else { return nil }
        var fields = KeptFields(response, receivedAt: receivedAt)
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
        fields: KeptFields
    ) {
        self.status = status
        self.sentAt = min(sentAt, receivedAt)
        self.receivedAt = receivedAt
        self.selector = selector
        self.fields = fields
    }

    /// The entity tag, as it came.
    public var entityTag: String? { fields[.entityTag] }

    /// When the content was last modified, where the answer said so in a date that can be read.
    public var lastModified: Timestamp? { time(.lastModified) }

    /// The type of the content, as it came.
    public var contentType: String? { fields[.contentType] }

    /// The bytes of all texts that are kept.
    package var byteCount: Int { selector.vary.utf8.count + fields.byteCount }

    /// The date in a field.
    func time(_ field: KeptFields.Name) -> Timestamp? {
        fields[field].flatMap { HTTPDate($0, near: receivedAt)?.timestamp }
    }

    /// Statuses of which an answer may be stored, and kept by rule of thumb, without being told so.
    ///
    /// RFC 9110 §15.1, without 206: parts are not stored.
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
    /// Whether the request, the answer or a redirect to it says `no-store` (RFC 9111 §5.2).
    package func forbidsStoring(for request: FetchRequest) -> Bool {
        CacheControl(request.headers).isNoStore || CacheControl(headers).forbidsStoring
            || redirects.contains { CacheControl($0.headers).isNoStore }
    }
}

extension URL {
    /// The digest by which a record names the URL that answered; a URL may hold a secret and any length.
    package var sourceDigest: String {
        MessageDigest.sha256(requestText).prefix(16).hexadecimalDigits
    }
}
