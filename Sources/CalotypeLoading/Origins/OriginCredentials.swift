import CalotypeSupport
import CalotypeTransfer
import FoundationEssentials

/// The credentials of a loader for one origin: header fields and certificates.
///
/// They are sent to that origin only. A redirect to another origin drops them, and gets the credentials of
/// its own target. Cache keys contain a digest of them, so that a change of account never mixes images; texts
/// of errors do not contain them.
///
/// ```swift
/// let credentials = try OriginCredentials(headers: [.authorization(bearerToken: token)])
/// configuration.origins = try OriginTable([OriginPattern("https://images.example"): credentials])
/// ```
public struct OriginCredentials: Sendable {
    /// The header fields, which replace the loader's defaults of the same names; those of a request, and the
    /// user of its URL, replace them in turn.
    public let headers: [HeaderField]
    /// The trusted certificates, in place of the system's and the loader's; those unless set.
    public var trustRoots: HTTPDataLoader.TrustRoots?
    /// The client certificate; none unless set.
    public var clientCertificate: HTTPDataLoader.ClientCertificate?
    /// The name of the account in cache keys, in place of a digest of the credentials; none unless set.
    ///
    /// Set it if credentials change for the same account: cached images stay valid.
    public var identity: String?

    /// Fields that concern the connection, the encoding or a single request, and those of proxies.
    private static let forbiddenNames: Set<String> = [
        "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
        "proxy-authorization", "range",
    ]

    /// Validates header fields.
    ///
    /// - Throws: ``FetchError/Code/invalidRequest`` if a name is not a token, is that of a field which the
    ///   loader sets itself, or occurs twice, and if a value has control characters or is not ASCII. The
    ///   error contains valid names, and no value.
    public init(headers: [HeaderField] = []) throws(FetchError) {
        var names: Set<String> = []
        for field in headers {
            let name = field.name.lowercased()
            guard field.isSendable, field.value.utf8.allSatisfy({ $0 < 0x80 }) else {
                let isName = !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
                let subject = isName ? "“\(name)”" : "a name"
                throw Self.invalid("\(subject) has a line break or another character that cannot be sent")
            }
            guard !HTTPHop.ours.contains(name), !Self.forbiddenNames.contains(name) else {
                throw Self.invalid("“\(name)” is set by the loader itself; remove it")
            }
            guard names.insert(name).inserted else {
                throw Self.invalid("“\(name)” occurs twice; remove one")
            }
        }
        self.headers = headers
    }

    private static func invalid(_ reason: String) -> FetchError {
        FetchError(.invalidRequest, detail: "header field \(reason)")
    }
}

extension OriginCredentials {
    /// The identity in cache keys; empty if the credentials cannot affect responses.
    var cacheIdentity: String {
        if let identity { return "account:\(identity)" }
        let parts = headers.flatMap { [$0.name.lowercased(), $0.value] }
        guard !parts.isEmpty || clientCertificate != nil else { return "" }
        var digest = MessageDigest.sha256()
        for part in parts.map({ Array($0.utf8) }) + [clientCertificate?.certificate ?? []] {
            // The length before each part makes the text unambiguous.
            digest.update(Array("\(part.count):".utf8).span)
            digest.update(part.span)
        }
        return "sha256:\(digest.finalize().hexadecimalDigits)"
    }

    /// The certificates for transfers.
    var tls: TransferTLS? {
        guard trustRoots != nil || clientCertificate != nil else { return nil }
        return TransferTLS(
            trustRoots: trustRoots?.pem ?? [],
            certificate: clientCertificate?.certificate ?? [],
            key: clientCertificate?.key ?? []
        )
    }

    /// Texts that must not appear in errors.
    var secrets: Set<String> {
        var secrets: Set<String> = []
        for field in headers where !field.isForAnyOrigin || field.isNamed("user-agent") {
            let words = field.value.split(separator: " ")
            secrets.insert(field.value)
            guard field.isNamed("authorization"), words.count == 2 else { continue }
            secrets.insert(String(words[1]))
            guard let bytes = Data(base64Encoded: String(words[1])) else { continue }
            let pair = String(decoding: bytes, as: UTF8.self)
            guard let colon = pair.firstIndex(of: ":") else { continue }
            secrets.formUnion([pair, String(pair[pair.index(after: colon)...])])
        }
        // Replacing shorter ones would make errors unreadable, and thereby reveal them.
        return secrets.filter { $0.utf8.count >= 4 }
    }
}

extension HeaderField {
    /// Returns an `Authorization` field of basic authentication (RFC 7617).
    ///
    /// - Throws: ``FetchError/Code/invalidRequest`` if the user contains a colon, or either a control
    ///   character.
    public static func authorization(user: String, password: String) throws(FetchError) -> HeaderField {
        let hasControls = (user + password).unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        guard !user.utf8.contains(UInt8(ascii: ":")), !hasControls else {
            throw FetchError(
                .invalidRequest,
                detail: "a user must not contain a colon, and neither user nor password a control character"
            )
        }
        let pair = Data("\(user):\(password)".utf8).base64EncodedString()
        return HeaderField("Authorization", "Basic \(pair)")
    }

    /// Returns an `Authorization` field with a bearer token (RFC 6750).
    ///
    /// - Throws: ``FetchError/Code/invalidRequest`` if the token is empty or has characters other than
    ///   visible ASCII characters.
    public static func authorization(bearerToken token: String) throws(FetchError) -> HeaderField {
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw FetchError(
                .invalidRequest,
                detail: "a bearer token must consist of visible ASCII characters without blanks"
            )
        }
        return HeaderField("Authorization", "Bearer \(token)")
    }
}
