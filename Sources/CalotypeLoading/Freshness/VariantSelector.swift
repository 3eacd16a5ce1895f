import CalotypeSupport
import FoundationEssentials

/// What of a request has selected its answer: the fields that `Vary` names (RFC 9111 §4.1).
///
/// Their values are kept as one SHA-256 digest: bounded, and no credentials lie in the cache.
enum VariantSelector: Hashable, Sendable {
    /// The answer suits any request.
    case nothing
    /// More than can be told decides, `*`; the answer suits no later request.
    case unknown
    /// The names, in lower case, sorted, each once; and the digest of their values.
    case fields([String], digest: Data)

    private static let nameByteCountMax = 1_024
    static let digestByteCount = 32

    /// What selected the answer to a request.
    init(_ request: FetchRequest, vary: String) {
        let names = Self.names(vary)
        self =
            switch names {
            case nil: .unknown
            case []?: .nothing
            case let names?: .fields(names, digest: Self.digest(request, names))
            }
    }

    /// Whether the answer suits a request, too.
    func matches(_ request: FetchRequest) -> Bool {
        switch self {
        case .nothing: true
        case .unknown: false
        case .fields(let names, let digest): Self.digest(request, names) == digest
        }
    }

    /// The value of a `Vary` field that says the same.
    var vary: String {
        switch self {
        case .nothing: ""
        case .unknown: "*"
        case .fields(let names, _): names.joined(separator: ",")
        }
    }

    /// The names of a `Vary` field; `nil` for a star, for what is not a name, and for more than 1,024 bytes.
    static func names(_ vary: String) -> [String]? {
        let parts = vary.split(separator: ",").map { $0.trimmingBlanks.lowercased() }.filter { !$0.isEmpty }
        let names = Set(parts).sorted()
        guard names.allSatisfy(\.isFieldName) else { return nil }
        let byteCount = names.reduce(0) { $0 + $1.utf8.count + 1 }
        return byteCount <= nameByteCountMax ? names : nil
    }

    private static func digest(_ request: FetchRequest, _ names: [String]) -> Data {
        var digest = MessageDigest.sha256()
        for name in names {
            let value = request.headers.combinedValue(of: name)
            // Counts before the bytes, so that no two lists of fields read the same.
            let counts = "\(name.utf8.count) \(value?.utf8.count ?? -1) "
            digest.update((counts + name + (value ?? "")).utf8.span)
        }
        return Data(digest.finalize())
    }
}

extension String {
    /// Whether this is a token of RFC 9110 §5.6.2, but for the star alone.
    fileprivate var isFieldName: Bool {
        let marks = "!#$%&'*+-.^_`|~".utf8
        return self != "*"
            && utf8.allSatisfy { byte in
                (48...57).contains(byte) || (97...122).contains(byte) || marks.contains(byte)
            }
    }
}
