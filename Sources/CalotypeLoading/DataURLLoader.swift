import CalotypeSupport
import FoundationEssentials

/// A loader of the bytes in a `data:` URL.
///
/// The media type of the URL becomes the `Content-Type` of the response; `text/plain;charset=US-ASCII`
/// without one, as RFC 2397 specifies. Error texts contain no part of the URL.
public struct DataURLLoader: DataLoader {
    /// Longer URLs take long enough to be parsed on a separate thread.
    private static let shortByteCount = 16 << 10
    private let pool = BlockingPool(width: 1, name: "data")

    /// Whether the loader adds credentials: false.
    public var hasCacheIdentity: Bool { false }

    /// Creates a loader.
    public init() {}

    /// Returns the bytes of the URL.
    ///
    /// - Throws: ``FetchError/Code/invalidURL``, ``FetchError/Code/bodyTooLarge``,
    ///   ``FetchError/Code/unsupportedScheme``.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        let (url, maxByteCount) = (request.url, request.maxByteCount)
        let inline =
            if url.absoluteString.utf8.count <= Self.shortByteCount {
                try DataURL(url, maxByteCount: maxByteCount)
            } else {
                try await pool.run { () throws(FetchError) in
                    try DataURL(url, maxByteCount: maxByteCount)
                }
            }
        return FetchResponse(
            origin: .inline,
            url: request.url,
            headers: [HeaderField("Content-Type", inline.mediaType)],
            expectedByteCount: inline.bytes.count,
            body: FetchBody(inline.bytes)
        )
    }
}

/// The contents of a `data:` URL: `data:[media type][;base64],bytes` (RFC 2397).
struct DataURL: Sendable {
    let mediaType: String
    let bytes: Data

    init(_ url: URL, maxByteCount: Int) throws(FetchError) {
        var rest = url.absoluteString.utf8[...]
        guard rest.removePrefix("data:") else {
            throw FetchError(.unsupportedScheme, detail: "the URL does not begin with “data:”")
        }
        guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else {
            throw FetchError(.invalidURL, detail: "the data: URL has no comma between its type and its bytes")
        }
        var type = rest[..<comma]
        let encoded = rest[rest.index(after: comma)...]
        let isBase64 = type.removeSuffix(";base64")
        mediaType = Self.mediaType(type)
        bytes = isBase64 ? try Self.base64(encoded, maxByteCount) : Data(percentDecoded(encoded))
        if bytes.count > maxByteCount {
            throw .tooLarge(maxByteCount)
        }
    }

    private static func mediaType(_ encoded: Substring.UTF8View) -> String {
        let type = String(decoding: percentDecoded(encoded), as: UTF8.self)
        if type.isEmpty { return "text/plain;charset=US-ASCII" }
        return type.hasPrefix(";") ? "text/plain" + type : type
    }

    private static func base64(_ encoded: Substring.UTF8View, _ maxByteCount: Int) throws(FetchError) -> Data
    {
        // Each digit may be escaped (3 bytes) and surrounded by line breaks; four digits are three bytes.
        if encoded.count / 12 > maxByteCount / 3 + 1 {
            throw .tooLarge(maxByteCount)
        }
        var digits = percentDecoded(encoded).filter { !Self.isSpace($0) }
        if !digits.contains(UInt8(ascii: "=")) {
            digits += Array(repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        }
        guard let data = Data(base64Encoded: Data(digits)) else {
            throw FetchError(.invalidURL, detail: "the bytes of the data: URL are not valid base64")
        }
        return data
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}

extension FetchError {
    fileprivate static func tooLarge(_ maxByteCount: Int) -> FetchError {
        FetchError(.bodyTooLarge, detail: "the data: URL has more than the allowed \(maxByteCount) bytes")
    }
}

extension Substring.UTF8View {
    /// Removes `prefix`, given in lower case; returns whether it was present.
    fileprivate mutating func removePrefix(_ prefix: String) -> Bool {
        guard self.prefix(prefix.utf8.count).elementsEqual(prefix.utf8, by: Self.isSameLetter) else {
            return false
        }
        self = dropFirst(prefix.utf8.count)
        return true
    }

    /// Removes `suffix`, given in lower case; returns whether it was present.
    fileprivate mutating func removeSuffix(_ suffix: String) -> Bool {
        guard self.suffix(suffix.utf8.count).elementsEqual(suffix.utf8, by: Self.isSameLetter) else {
            return false
        }
        self = dropLast(suffix.utf8.count)
        return true
    }

    private static func isSameLetter(_ byte: UInt8, _ lowercase: UInt8) -> Bool {
        byte == lowercase || (65...90).contains(byte) && byte | 0x20 == lowercase
    }
}
