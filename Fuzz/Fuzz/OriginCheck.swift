import FoundationEssentials

@testable import CalotypeLoading

/// The checks of settings of origins: patterns, header fields with secrets, and certificates.
enum OriginCheck {
    // MARK: Patterns

    /// Checks that a pattern is printed and parsed as itself, and covers its own origin.
    static func checkPattern(_ text: String) {
        do throws(FetchError) {
            let pattern = try OriginPattern(text)
            let printed = pattern.description
            let again = try OriginPattern(printed)
            precondition(again == pattern && again.description == printed, "\(printed) is \(text)")
            precondition(["http", "https"].contains(pattern.scheme), "a pattern is of the web")
            precondition((1...65_535).contains(pattern.port), "a port is in its range")
            precondition(pattern.host == pattern.host.lowercased(), "a host has one case")
            precondition(pattern.host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a host is ASCII")
            checkCoverage(of: pattern)
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
        }
    }

    private static func checkCoverage(of pattern: OriginPattern) {
        let map = OriginMap([pattern: true])
        let place = "\(pattern.host):\(pattern.port)/a"
        let own = URL(string: "\(pattern.scheme)://\(place)")
        let below = URL(string: "\(pattern.scheme)://x.y.\(place)")
        let beside = URL(string: "\(pattern.scheme)://x\(place)")
        precondition((own.flatMap { map.value(for: $0) } == true) != pattern.coversSubdomains, "\(pattern)")
        precondition(beside.flatMap { map.value(for: $0) } == nil, "\(pattern) covers another host")
        // A name has at most 253 bytes.
        guard pattern.host.utf8.count < 200, !pattern.host.hasPrefix("[") else { return }
        precondition((below.flatMap { map.value(for: $0) } == true) == pattern.coversSubdomains, "\(pattern)")
        let other = URL(string: "\(pattern.scheme)://\(pattern.host):\(pattern.port % 65_535 + 1)/")
        precondition(other.flatMap { map.value(for: $0) } == nil, "\(pattern) covers another port")
    }

    // MARK: Secrets

    /// Checks lines of `name: value`, of which errors contain no secret.
    static func checkFields(_ text: String) {
        let fields = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return HeaderField(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        do throws(FetchError) {
            let credentials = try OriginCredentials(headers: fields)
            precondition(credentials.headers.allSatisfy(\.isSendable), "each field can be sent")
            let same = try OriginCredentials(headers: fields)
            precondition(same.cacheIdentity == credentials.cacheIdentity, "equal fields have one identity")
            let pattern = try OriginPattern("https://a.example")
            checkRedaction(of: credentials.secrets, try OriginTable([pattern: credentials]).snapshot)
        } catch {
            let values = fields.map(\.value).filter { $0.utf8.count > 60 }
            precondition(!values.contains { error.detail.contains($0) }, "an error contains no value")
        }
    }

    private static func checkRedaction(of secrets: Set<String>, _ table: OriginTable.Snapshot) {
        for secret in secrets {
            let error = FetchError(.invalidURL, detail: "a\(secret.uppercased())b \(secret)\(secret)")
            let detail = table.redacted(error).detail
            precondition(!detail.contains(secret) || secret.utf8.contains { $0 >= 0x80 }, "no secret is left")
        }
    }

    // MARK: Certificates

    /// Checks text that may be certificates and a key.
    static func checkCertificate(_ input: Data) {
        let middle = input.count / 2
        let parts: [(Data, Data?)] = [(input, nil), (input.prefix(middle), Data(input.dropFirst(middle)))]
        for (pem, key) in parts {
            check { () throws(FetchError) in _ = try HTTPDataLoader.TrustRoots(pem: pem) }
            check { () throws(FetchError) in _ = try HTTPDataLoader.ClientCertificate(pem: pem, key: key) }
        }
    }

    private static func check(_ parse: () throws(FetchError) -> Void) {
        do throws(FetchError) {
            try parse()
        } catch {
            precondition(error.code == .insecureConnection, "the error is about certificates")
            precondition((1...200).contains(error.detail.count), "the error repeats no text of the file")
        }
    }
}
