import CalotypeSupport
import FoundationEssentials

/// The part of a request that selected its response: the fields named by `Vary` (RFC 9111 §4.1).
///
/// Their values are recorded as one SHA-256 digest: bounded in size, and without credentials in the cache.
enum VariantSelector: Hashable, Sendable {
    /// The response is valid for any request.
    case nothing
    /// The selection is unknown, `*`; the response is not valid for later requests.
    case unknown
    /// The names, in lower case, sorted and unique; and the digest of their values.
    case fields([String], digest: Data)

    private static let maxNameByteCount = 1_024
    static let digestByteCount = 32

    /// Creates the selector of a response.
    init(_ request: FetchRequest, vary: String) {
        let names = Self.names(vary)
        self =
            switch names {
            case nil: .unknown
            case []?: .nothing
            case let names?: .fields(names, digest: Self.digest(request, names))
            }
    }

    /// Returns whether the response is valid for another request.
    func matches(_ request: FetchRequest) -> Bool {
        switch self {
        case .nothing: true
        case .unknown: false
        case .fields(let names, let digest): Self.digest(request, names) == digest
        }
    }

    /// The equivalent value of a `Vary` field.
    var vary: String {
        switch self {
        case .nothing: ""
        case .unknown: "*"
        case .fields(let names, _): names.joined(separator: ",")
        }
    }

    /// Returns the names of a `Vary` field; `nil` for a star, for an invalid name, and for more than 1,024
    /// bytes.
    static func names(_ vary: String) -> [String]? {
        let parts = vary.split(separator: ",").map { $0.trimmingBlanks.lowercased() }.filter { !$0.isEmpty }
        let names = Set(parts).sorted()
        guard names.allSatisfy(\.isFieldName) else { return nil }
        let byteCount = names.reduce(0) { $0 + $1.utf8.count + 1 }
        return byteCount <= maxNameByteCount ? names : nil
    }

    private static func digest(_ request: FetchRequest, _ names: [String]) -> Data {
        var digest = MessageDigest.sha256()
        for name in names {
            let value = request.headers.combinedValue(of: name)
            // Byte counts precede the bytes, so that different lists of fields never have the same input.
            let counts = "\(name.utf8.count) \(value?.utf8.count ?? -1) "
            digest.update((counts + name + (value ?? "")).utf8.span)
        }
        return Data(digest.finalize())
    }
}

extension String {
    /// Whether this is a token of RFC 9110 §5.6.2, except the star alone.
    fileprivate var isFieldName: Bool {
        let marks = "!#$%&'*+-.^_`|~".utf8
        return self != "*"
            && utf8.allSatisfy { byte in
                (48...57).contains(byte) || (97...122).contains(byte) || marks.contains(byte)
            }
    }
}
