import CalotypeLoading
import Foundation

/// The credentials of an origin as settings describe them; secrets are in files.
struct OriginDescription: Hashable, Sendable {
    /// A member of the object of an origin.
    enum Member: String, CaseIterable {
        case headers
        case headerFiles = "header-files"
        case user
        case passwordFile = "password-file"
        case bearerTokenFile = "bearer-token-file"
        case caFile = "ca-file"
        case clientCertificateFile = "client-certificate-file"
        case clientKeyFile = "client-key-file"
        case identity
    }

    /// The folder of the credentials that systemd passes to a service, as paths may begin with it.
    static let credentialsFolder = "$CREDENTIALS_DIRECTORY"
    private static let example = #"{"bearer-token-file": "/run/secrets/token"}"#

    let pattern: OriginPattern
    private(set) var headers: [HeaderField] = []
    /// Header fields whose values are paths.
    private(set) var headerFiles: [HeaderField] = []
    private var texts: [String: String] = [:]

    subscript(member: Member) -> String? { texts[member.rawValue] }

    /// Parses a JSON object of origins.
    ///
    /// - Returns: The origins, and what is wrong with others, without values that may be secret.
    static func parse(_ text: String) -> (origins: [OriginDescription], problems: [String]) {
        let members: [String: SettingsFileValue]
        do {
            members = try JSONDecoder().decode([String: SettingsFileValue].self, from: Data(text.utf8))
        } catch {
            // The error may repeat a part of the text.
            let example = #"{"https://images.example": \#(Self.example)}"#
            return ([], ["it is not a JSON object of origins; write it like \(example)"])
        }
        var (origins, problems): ([OriginDescription], [String]) = ([], [])
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let shown = SafeText.shortened(name)
            do throws(OriginProblem) {
                let origin = try OriginDescription(name, value)
                guard !origins.contains(where: { $0.pattern == origin.pattern }) else {
                    throw OriginProblem("another entry is the same origin; join them")
                }
                origins.append(origin)
            } catch {
                problems.append("\(shown): \(error.text)")
            }
        }
        return (origins, problems)
    }

    private init(_ name: String, _ value: SettingsFileValue) throws(OriginProblem) {
        do throws(FetchError) {
            pattern = try OriginPattern(name)
        } catch {
            throw OriginProblem(error.detail)
        }
        guard case .object(let members) = value else {
            throw OriginProblem("it must be an object such as \(Self.example)")
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { try read(name, value) }
        try check()
    }

    private mutating func read(_ name: String, _ value: SettingsFileValue) throws(OriginProblem) {
        guard let member = Member(rawValue: name) else {
            let near = SimilarNames.of(name, among: Member.allCases.map(\.rawValue))
            let hint = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
            throw OriginProblem("unknown member “\(SafeText.shortened(name))”\(hint)")
        }
        switch member {
        case .headers: headers = try Self.fields(value, member)
        case .headerFiles:
            headerFiles = try Self.fields(value, member)
            for file in headerFiles { try Self.check(path: file.value, member) }
        default:
            guard case .text(let text) = value else {
                throw OriginProblem("\(name): it must be a string in quotes")
            }
            if text.isEmpty { throw OriginProblem("\(name): it is empty; remove it") }
            if let problem = SettingText.problem(text) { throw OriginProblem("\(name): \(problem)") }
            if name.hasSuffix("-file") { try Self.check(path: text, member) }
            texts[name] = text
        }
    }

    private static func fields(
        _ value: SettingsFileValue,
        _ member: Member
    ) throws(OriginProblem) -> [HeaderField] {
        guard case .object(let members) = value else {
            throw OriginProblem("\(member.rawValue): it must be an object such as {\"X-Name\": \"…\"}")
        }
        var fields: [HeaderField] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard case .text(let text) = value else {
                let shown = SafeText.shortened(name)
                throw OriginProblem("\(member.rawValue): “\(shown)” must be a string in quotes")
            }
            fields.append(HeaderField(name, text))
        }
        return fields
    }

    private static func check(path: String, _ member: Member) throws(OriginProblem) {
        guard path.hasPrefix("/") || path.hasPrefix("\(credentialsFolder)/") else {
            throw OriginProblem("\(member.rawValue): the path must begin with / or \(credentialsFolder)/")
        }
    }

    /// Checks what needs no file.
    private func check() throws(OriginProblem) {
        guard (self[.user] == nil) == (self[.passwordFile] == nil) else {
            throw OriginProblem("user and password-file belong together; set both")
        }
        guard self[.user] == nil || self[.bearerTokenFile] == nil else {
            throw OriginProblem("user and bearer-token-file exclude each other; remove one")
        }
        guard self[.clientKeyFile] == nil || self[.clientCertificateFile] != nil else {
            throw OriginProblem("client-key-file needs client-certificate-file; set it")
        }
        guard pattern.scheme == "https" || self[.caFile] == nil && self[.clientCertificateFile] == nil else {
            throw OriginProblem("certificates are used over https only; write https://")
        }
        do throws(FetchError) {
            let stand = headerFiles.map { HeaderField($0.name, "x") }
            var all = headers + stand
            if let user = self[.user] { all.append(try .authorization(user: user, password: "")) }
            if self[.bearerTokenFile] != nil { all.append(HeaderField("Authorization", "x")) }
            _ = try OriginCredentials(headers: all)
        } catch {
            throw OriginProblem(error.detail)
        }
    }

    /// The names of what is sent, without values.
    var summary: String {
        var parts = (headers + headerFiles).map(\.name).sorted()
        if self[.user] != nil { parts.append("Authorization (basic)") }
        if self[.bearerTokenFile] != nil { parts.append("Authorization (bearer token)") }
        if self[.clientCertificateFile] != nil { parts.append("a client certificate") }
        if self[.caFile] != nil { parts.append("own certificate authorities") }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }

    /// Whether anything of it would be readable by others on the way.
    var isExposed: Bool {
        let hasSecrets = !headerFiles.isEmpty || self[.user] != nil || self[.bearerTokenFile] != nil
        return pattern.scheme == "http" && hasSecrets && !AddressPolicy.publicOnly.refusesHost(pattern.host)
    }
}

/// The reason why the description of an origin cannot be used, with the remedy.
struct OriginProblem: Error, Hashable {
    let text: String

    init(_ text: String) { self.text = text }
}

extension ServeSettings {
    /// Reads the credentials of origins.
    static func origins(_ reader: inout SettingReader) -> [OriginDescription] {
        let text = reader.text(.origins)
        guard !text.isEmpty else { return [] }
        let (origins, problems) = OriginDescription.parse(text)
        for problem in problems { reader.refuse(.origins, problem) }
        for origin in origins where origin.isExposed {
            reader.warn(.origins, "\(origin.pattern): secrets are sent unencrypted; use https")
        }
        return origins
    }
}
