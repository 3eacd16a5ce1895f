import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import Foundation

/// Reads the files of secrets and certificates that the settings of origins name.
struct OriginFiles {
    // A chain of certificates, or all of a system's authorities, is smaller.
    private static let maxByteCount = 1 << 20
    // Servers accept header fields of some 8 KiB.
    private static let maxSecretByteCount = 16 << 10

    private let settings: ServeSettings
    private let environment: [String: String]

    /// - Parameters:
    ///   - settings: The settings that name the files.
    ///   - environment: The environment, with the folder of systemd's credentials.
    init(_ settings: ServeSettings, _ environment: [String: String] = ProcessInfo.processInfo.environment) {
        (self.settings, self.environment) = (settings, environment)
    }

    /// Returns the credentials of all origins.
    ///
    /// - Throws: ``SettingMistakes`` with all mistakes, each with its file and without its contents.
    func credentials() async throws(SettingMistakes) -> [OriginPattern: OriginCredentials] {
        var credentials: [OriginPattern: OriginCredentials] = [:]
        var mistakes: [SettingMistake] = []
        for origin in settings.sources.origins {
            do throws(OriginProblem) {
                credentials[origin.pattern] = try await read(origin)
            } catch {
                mistakes.append(mistake(.origins, "\(origin.pattern): \(error.text)"))
            }
        }
        guard mistakes.isEmpty else { throw SettingMistakes(mistakes: mistakes) }
        return credentials
    }

    /// Returns the certificates that are trusted in addition to the system's.
    ///
    /// - Throws: ``SettingMistakes``.
    func trustRoots() async throws(SettingMistakes) -> [HTTPDataLoader.TrustRoots] {
        guard let path = settings.sources.trustRootsPath else { return [] }
        do throws(OriginProblem) {
            return [try await trustRoots(in: path)]
        } catch {
            throw SettingMistakes(mistakes: [mistake(.sourceCAFile, error.text)])
        }
    }

    /// Warnings about files of secrets that every user can read, one line each.
    var warnings: [String] {
        let origin = settings.holding.first { $0.setting == .origins }?.origin ?? .standard
        return secretPaths.sorted().compactMap { path in
            guard let status = FileStatus(at: expanded(path)), status.kind == .regular,
                status.permissions & 0o004 != 0
            else { return nil }
            let shown = "“\(SafeText.shortened(path))”"
            return "origins (\(origin.text)): every user can read \(shown); run chmod o= on the file"
        }
    }

    private var secretPaths: Set<String> {
        settings.sources.origins.reduce(into: []) { paths, origin in
            paths.formUnion(origin.headerFiles.map(\.value))
            for member in [OriginDescription.Member.passwordFile, .bearerTokenFile, .clientKeyFile] {
                if let path = origin[member] { paths.insert(path) }
            }
            if origin[.clientKeyFile] == nil, let path = origin[.clientCertificateFile] { paths.insert(path) }
        }
    }

    private func mistake(_ setting: ServeSetting, _ detail: String) -> SettingMistake {
        let origin = settings.holding.first { $0.setting == setting }?.origin ?? .standard
        return SettingMistake(name: setting.name, origin: origin.text, detail: detail)
    }

    private func read(_ origin: OriginDescription) async throws(OriginProblem) -> OriginCredentials {
        var fields = origin.headers
        for file in origin.headerFiles {
            fields.append(HeaderField(file.name, try await secret(in: file.value)))
        }
        let password = try await optional(origin[.passwordFile]) { path throws(OriginProblem) in
            try await secret(in: path)
        }
        let token = try await optional(origin[.bearerTokenFile]) { path throws(OriginProblem) in
            try await secret(in: path)
        }
        let roots = try await optional(origin[.caFile]) { path throws(OriginProblem) in
            try await trustRoots(in: path)
        }
        let certificate = try await clientCertificate(of: origin)
        do throws(FetchError) {
            if let user = origin[.user], let password {
                fields.append(try .authorization(user: user, password: password))
            }
            if let token { fields.append(try .authorization(bearerToken: token)) }
            var credentials = try OriginCredentials(headers: fields)
            credentials.trustRoots = roots
            credentials.clientCertificate = certificate
            credentials.identity = origin[.identity]
            return credentials
        } catch {
            throw OriginProblem(error.detail)
        }
    }

    private func optional<Value>(
        _ path: String?,
        _ read: (String) async throws(OriginProblem) -> Value
    ) async throws(OriginProblem) -> Value? {
        guard let path else { return nil }
        return try await read(path)
    }

    private func clientCertificate(
        of origin: OriginDescription
    ) async throws(OriginProblem) -> HTTPDataLoader.ClientCertificate? {
        guard let path = origin[.clientCertificateFile] else { return nil }
        let pem = try await bytes(in: path, atMost: Self.maxByteCount)
        let key = try await optional(origin[.clientKeyFile]) { path throws(OriginProblem) in
            try await bytes(in: path, atMost: Self.maxByteCount)
        }
        do throws(FetchError) {
            return try HTTPDataLoader.ClientCertificate(pem: pem, key: key)
        } catch {
            throw OriginProblem("\(Self.shown(origin[.clientKeyFile] ?? path)): \(error.detail)")
        }
    }

    private func trustRoots(in path: String) async throws(OriginProblem) -> HTTPDataLoader.TrustRoots {
        let pem = try await bytes(in: path, atMost: Self.maxByteCount)
        do throws(FetchError) {
            return try HTTPDataLoader.TrustRoots(pem: pem)
        } catch {
            throw OriginProblem("\(Self.shown(path)): \(error.detail)")
        }
    }

    /// Returns the single line of a file, without its line end.
    private func secret(in path: String) async throws(OriginProblem) -> String {
        var data = try await bytes(in: path, atMost: Self.maxSecretByteCount)
        if data.last == UInt8(ascii: "\n") { data.removeLast() }
        if data.last == UInt8(ascii: "\r") { data.removeLast() }
        let shown = Self.shown(path)
        guard let text = String(validating: data, as: UTF8.self), text.unicodeScalars.first != "\u{FEFF}"
        else {
            throw OriginProblem("\(shown) is not UTF-8 text, or begins with a byte order mark")
        }
        if text.isEmpty { throw OriginProblem("\(shown) is empty") }
        if let problem = SettingText.problem(text) { throw OriginProblem("\(shown): \(problem)") }
        return text
    }

    private func bytes(in path: String, atMost maxByteCount: Int) async throws(OriginProblem) -> Data {
        let (shown, place) = (Self.shown(path), expanded(path))
        guard place != path || !path.hasPrefix("$") else {
            throw OriginProblem("\(shown): the variable is not set; the unit needs LoadCredential=")
        }
        guard let status = FileStatus(at: place) else {
            throw OriginProblem("cannot open \(shown): \(SystemError.text(errno))")
        }
        // A pipe could be read only once, and not again by a reload.
        guard status.kind == .regular else { throw OriginProblem("\(shown) is not a regular file") }
        do {
            return try await FileBytes.read(place, limits: DecodeLimits(maxByteCount: maxByteCount))
        } catch {
            throw OriginProblem("cannot read \(shown): \(ErrorText.describe(error))")
        }
    }

    /// Returns the path with the folder of systemd's credentials in place of the variable.
    private func expanded(_ path: String) -> String {
        let variable = OriginDescription.credentialsFolder
        guard path.hasPrefix("\(variable)/"), let folder = environment[String(variable.dropFirst())],
            !folder.isEmpty
        else { return path }
        return folder + path.dropFirst(variable.count)
    }

    private static func shown(_ path: String) -> String { "“\(SafeText.shortened(path))”" }
}
