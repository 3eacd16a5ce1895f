import CalotypeTransfer
package import FoundationEssentials

/// An origin, or the origins of all subdomains of a host: scheme, host and port.
///
/// `https://images.example` is one origin; `https://*.images.example:8443` are those of all names below
/// `images.example`, with one or more additional labels, on that port. Parsed hosts are compared, never text.
/// A name with a final dot is a different origin, and no wildcard covers addresses.
public struct OriginPattern: Hashable, Sendable {
    /// `http` or `https`.
    public let scheme: String
    /// The host in canonical form, an IPv6 address in brackets; for a wildcard the parent domain.
    public let host: String
    /// Whether it covers the subdomains of the host, and not the host itself.
    public let coversSubdomains: Bool
    /// The port, or the scheme's default.
    public let port: Int

    /// Parses `https://images.example`, `http://10.0.0.5:8080` or `https://*.images.example`.
    ///
    /// - Throws: ``FetchError/Code/invalidURL``; the error does not repeat the text.
    public init(_ text: String) throws(FetchError) {
        guard let mark = text.firstRange(of: "://") else {
            throw Self.invalid("the scheme is missing; write it like https://images.example")
        }
        scheme = text[..<mark.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else {
            throw Self.invalid("the scheme must be https or http")
        }
        var place = text[mark.upperBound...]
        if place.hasSuffix("/") { place.removeLast() }
        coversSubdomains = place.hasPrefix("*.")
        if coversSubdomains { place.removeFirst(2) }
        guard !place.contains(where: { "/?#@\\*".contains($0) }) else {
            throw Self.invalid("it has more than scheme, host and port, or another *; remove that")
        }
        guard place.utf8.count <= 1_024, place.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            let url = URL(spellingOfPlace: "\(scheme)://\(place)/"), let origin = OriginAddress(url)
        else { throw Self.invalid("the host or the port is not valid") }
        guard !origin.host.hasSuffix(".") else { throw Self.invalid("remove the final dot of the host") }
        guard !coversSubdomains || !origin.isAddress else {
            throw Self.invalid("addresses have no subdomains; remove the *.")
        }
        (host, port) = (origin.host, origin.port)
    }

    private static func invalid(_ reason: String) -> FetchError {
        FetchError(.invalidURL, detail: "not an origin: \(reason)")
    }
}

extension OriginPattern: CustomStringConvertible {
    /// The text that ``init(_:)`` parses, in canonical form.
    public var description: String {
        let standardPort = scheme == "https" ? 443 : 80
        return "\(scheme)://\(coversSubdomains ? "*." : "")\(host)\(port == standardPort ? "" : ":\(port)")"
    }
}

/// The origin of a URL, with its host in canonical form.
struct OriginAddress: Hashable {
    let scheme: String
    /// The host in canonical form, an IPv6 address in brackets.
    let host: String
    let port: Int

    /// Returns `nil` for a URL without scheme or host, or with an invalid one.
    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let host = url.host() else { return nil }
        self.init(scheme: scheme, host: host, port: url.port)
    }

    init?(scheme: String, host: String, port: Int?) {
        let isBare = host.utf8.contains(UInt8(ascii: ":")) && host.utf8.first != UInt8(ascii: "[")
        let text = isBare ? "[\(host)]" : host
        guard let host = normalizedHost(Array(text.utf8)[...]) else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port ?? (scheme == "https" ? 443 : 80)
    }

    var isAddress: Bool { IPAddress(literal: host) != nil }
}

/// Values by origin pattern: the most exact pattern of a URL wins.
package struct OriginMap<Value: Sendable>: Sendable {
    private var exact: [OriginAddress: Value] = [:]
    private var ofSubdomains: [OriginAddress: Value] = [:]

    /// Creates a map.
    package init(_ values: [OriginPattern: Value]) {
        for (pattern, value) in values {
            let address = OriginAddress(scheme: pattern.scheme, host: pattern.host, port: pattern.port)
            guard let address else { continue }
            if pattern.coversSubdomains { ofSubdomains[address] = value } else { exact[address] = value }
        }
    }

    package var isEmpty: Bool { exact.isEmpty && ofSubdomains.isEmpty }

    /// All values, in no particular order.
    package var values: [Value] { Array(exact.values) + Array(ofSubdomains.values) }

    /// Returns the value of the exact origin, or else of the wildcard with the longest host.
    package func value(for url: URL) -> Value? {
        guard !isEmpty, let origin = OriginAddress(url) else { return nil }
        return value(for: origin)
    }

    func value(for origin: OriginAddress) -> Value? {
        if let value = exact[origin] { return value }
        // A name has at most 253 bytes (RFC 1035 §2.3.4).
        guard !ofSubdomains.isEmpty, origin.host.utf8.count < 255, !origin.isAddress else { return nil }
        var rest = origin.host[...]
        while let dot = rest.firstIndex(of: "."), dot != rest.startIndex {
            rest = rest[rest.index(after: dot)...]
            let parent = OriginAddress(scheme: origin.scheme, parent: String(rest), port: origin.port)
            if let value = ofSubdomains[parent] { return value }
        }
        return nil
    }
}

extension OriginAddress {
    /// Creates the origin of a part of a canonical host.
    fileprivate init(scheme: String, parent host: String, port: Int) {
        (self.scheme, self.host, self.port) = (scheme, host, port)
    }
}
