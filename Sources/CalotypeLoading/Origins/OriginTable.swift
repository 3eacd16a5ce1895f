import CalotypeSupport
import FoundationEssentials

/// The credentials of a loader by origin, which can change while it runs.
///
/// The most exact pattern of a URL applies, and only that one: an origin's own before a wildcard, a longer
/// host before a shorter one. Each load uses the table as it was when the load began.
public final class OriginTable: Sendable {
    struct Snapshot: Sendable {
        let credentials: OriginMap<OriginCredentials>
        /// Texts that must not appear in errors, the longest first.
        let secrets: [String]
        fileprivate let identities: OriginMap<String>
        fileprivate let identityByPattern: [OriginPattern: String]

        static let empty = Snapshot([:])

        fileprivate init(_ origins: [OriginPattern: OriginCredentials]) {
            credentials = OriginMap(origins)
            identityByPattern = origins.mapValues(\.cacheIdentity)
            identities = OriginMap(identityByPattern)
            let all = origins.values.reduce(into: Set<String>()) { $0.formUnion($1.secrets) }
            secrets = all.sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
        }
    }

    private let state: Guarded<Snapshot>

    /// Creates a table.
    ///
    /// - Throws: ``FetchError/Code/insecureConnection`` if an `http:` origin has certificates.
    public init(_ origins: [OriginPattern: OriginCredentials] = [:]) throws(FetchError) {
        try Self.check(origins)
        state = Guarded(Snapshot(origins))
    }

    /// Replaces all credentials, for loads that begin later.
    ///
    /// A running load of an origin whose identity changes is not cached; in a pipeline it fails with
    /// ``FetchError/Code/identityChanged``.
    ///
    /// - Returns: Whether any identity has changed.
    /// - Throws: As ``init(_:)``; the table is then unchanged.
    @discardableResult
    public func replace(with origins: [OriginPattern: OriginCredentials]) throws(FetchError) -> Bool {
        try Self.check(origins)
        let new = Snapshot(origins)
        return state.withLock { snapshot in
            let isChanged = snapshot.identityByPattern != new.identityByPattern
            snapshot = new
            return isChanged
        }
    }

    var snapshot: Snapshot { state.withLock(\.self) }

    /// Returns the identity of the credentials for a URL; empty if there are none.
    func cacheIdentity(for url: URL) -> String {
        let identities = state.withLock(\.identities)
        return identities.value(for: url) ?? ""
    }

    private static func check(_ origins: [OriginPattern: OriginCredentials]) throws(FetchError) {
        let ofTLS = origins.filter { $0.value.tls != nil }.keys
        for pattern in ofTLS where pattern.scheme != "https" {
            throw FetchError(
                .insecureConnection,
                detail: "\(pattern): certificates are used over https only; write https://"
            )
        }
    }
}

extension OriginTable.Snapshot {
    /// Returns a text without the secrets of all origins, whatever their case.
    func redacted(_ text: String) -> String {
        secrets.reduce(text) { $0.replacingIgnoringCase($1.utf8, with: "…") }
    }

    /// Returns an error without the secrets of all origins, which a response may repeat.
    func redacted(_ error: FetchError) -> FetchError {
        let detail = redacted(error.detail)
        guard detail != error.detail else { return error }
        var redacted = FetchError(
            error.code,
            status: error.status,
            isRetryable: error.isRetryable,
            retryAfter: error.retryAfter,
            detail: detail
        )
        redacted.answeringURL = error.answeringURL
        return redacted
    }
}

extension String {
    /// Returns the text with each occurrence of other ASCII text replaced; the case of letters is ignored.
    fileprivate func replacingIgnoringCase(_ other: UTF8View, with replacement: String) -> String {
        let (bytes, sought) = (Array(utf8), other.map(\.foldedCase))
        guard !sought.isEmpty, bytes.count >= sought.count else { return self }
        var (result, start): ([UInt8], Int) = ([], 0)
        while start < bytes.count {
            if bytes[start...].prefix(sought.count).map(\.foldedCase) == sought {
                result += Array(replacement.utf8)
                start += sought.count
            } else {
                result.append(bytes[start])
                start += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var foldedCase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
