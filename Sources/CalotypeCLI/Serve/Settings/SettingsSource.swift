import CalotypeCore
import Configuration
import Foundation

/// Reads settings from flags, the environment and a file, and reports all mistakes at once.
struct SettingsSource: Sendable {
    private static let maxFileByteCount = 1 << 20

    let settings: ServeSettings
    /// Warnings, such as about ignored variables, one line each.
    private(set) var warnings: [String]

    /// Reads settings from all of their sources.
    ///
    /// - Parameters:
    ///   - arguments: The setting arguments of the command line: `--name value`, `--name=value`, `--name`.
    ///   - environment: The environment.
    ///   - path: The file; `nil` for the one that `CALOTYPE_CONFIG` names.
    /// - Returns: The settings and warnings.
    /// - Throws: ``SettingMistakes``.
    static func read(
        _ arguments: [String],
        _ environment: [String: String],
        file path: String?
    ) async throws(SettingMistakes) -> SettingsSource {
        let file = try await file(at: path, environment)
        var source = try SettingsSource(arguments, environment, file)
        if let file { source.warnings += source.secretsForOthers(in: file.path) }
        source.warnings += OriginFiles(source.settings, environment).warnings
        return source
    }

    /// Reads a file, by default the one that `CALOTYPE_CONFIG` names; `nil` if there is neither.
    ///
    /// - Throws: ``SettingMistakes`` if it cannot be read.
    static func file(
        at path: String?,
        _ environment: [String: String]
    ) async throws(SettingMistakes) -> (path: String, data: Data)? {
        let named = environment["CALOTYPE_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        guard let path = path ?? named else { return nil }
        do {
            let data = try await FileBytes.read(path, limits: DecodeLimits(maxByteCount: maxFileByteCount))
            // Some editors begin a file with a byte order mark, which JSON does not allow.
            return (path, data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data)
        } catch {
            let detail = "cannot be read: \(ErrorText.describe(error))"
            let mistake = SettingMistake(name: "config", origin: path, detail: detail)
            throw SettingMistakes(mistakes: [mistake])
        }
    }

    /// Returns a warning about a file that holds secrets and that every user can read.
    private func secretsForOthers(in path: String) -> [String] {
        let secrets = settings.holding.filter { $0.setting.isSecret && $0.origin == .file(path) }
        guard !secrets.isEmpty, let status = FileStatus(at: path), status.kind == .regular,
            status.permissions & 0o004 != 0
        else { return [] }
        let names = secrets.map(\.setting.name).joined(separator: ", ")
        return ["config (\(path)): every user can read \(names) in it; run chmod o= on the file"]
    }

    /// Reads settings; the file has been read before.
    init(
        _ arguments: [String],
        _ environment: [String: String],
        _ file: (path: String, data: Data)? = nil
    ) throws(SettingMistakes) {
        var mistakes: [SettingMistake] = []
        let flags = Self.flags(arguments, &mistakes)
        let imgproxy = ImgproxyVariables(environment)
        mistakes += imgproxy.mistakes + Self.misspelt(environment)
        var snapshot: (path: String, snapshot: any ConfigSnapshot)?
        if let file {
            snapshot = Self.snapshot(of: file, &mistakes).map { (file.path, $0) }
        }
        let layers = SettingLayers(
            flags: flags,
            environment: environment,
            imgproxy: imgproxy.values,
            file: snapshot
        )
        do throws(SettingMistakes) {
            settings = try ServeSettings(layers)
        } catch {
            // A wrong type in the file is reported once.
            let known = Set(mistakes.filter { $0.origin == file?.path }.map(\.name))
            let others = error.mistakes.filter { mistake in
                !known.contains(mistake.name) || ![file?.path, "file"].contains(mistake.origin)
            }
            throw SettingMistakes(mistakes: mistakes + others)
        }
        guard mistakes.isEmpty else { throw SettingMistakes(mistakes: mistakes) }
        warnings = imgproxy.warnings + Self.unknownVariables(environment) + settings.warnings
    }

    /// Returns flag values by setting name; records an argument that is not a setting as a mistake.
    private static func flags(
        _ arguments: [String],
        _ mistakes: inout [SettingMistake]
    ) -> [String: String] {
        var flags: [String: String] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let name = argument.drop { $0 == "-" }.prefix { $0 != "=" }
            guard argument.hasPrefix("--"), let setting = setting(named: String(name)) else {
                mistakes.append(unknown(argument, String(name), origin: "flag"))
                if argument.hasPrefix("-"), rest.first?.hasPrefix("-") == false { rest.removeFirst() }
                continue
            }
            if argument.contains("=") {
                flags[setting.name] = String(argument.drop { $0 != "=" }.dropFirst())
            } else if setting.kind == .flag {
                flags[setting.name] = "true"
            } else if setting.kind == .ranges, rest.first?.hasPrefix("-") ?? true {
                flags[setting.name] = "true"
            } else if let value = rest.popFirst() {
                flags[setting.name] = value
            } else {
                let detail = "the value is missing; write --name value"
                mistakes.append(SettingMistake(name: setting.name, origin: "flag", detail: detail))
            }
        }
        return flags
    }

    private static func setting(named name: String) -> ServeSetting? {
        ServeSetting.all.first { $0.name == name }
    }

    private static func unknown(_ text: String, _ name: String, origin: String) -> SettingMistake {
        let near = SimilarNames.of(name, among: ServeSetting.all.map(\.name))
        let hint = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
        return SettingMistake(
            // Without its value: the argument may be a key.
            name: SafeText.shortened(String(text.prefix { $0 != "=" })),
            origin: origin,
            detail: "unknown setting\(hint)"
        )
    }

    /// Parses a JSON file: one object whose members have the names of settings.
    static func snapshot(
        of file: (path: String, data: Data),
        _ mistakes: inout [SettingMistake]
    ) -> (any ConfigSnapshot)? {
        let countBefore = mistakes.count
        do {
            let members = try JSONDecoder().decode([String: SettingsFileValue].self, from: file.data)
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                guard let setting = setting(named: name) else {
                    mistakes.append(unknown(name, name, origin: file.path))
                    continue
                }
                guard let detail = value.mistake(as: setting.kind) else { continue }
                mistakes.append(SettingMistake(name: name, origin: file.path, detail: detail))
            }
            return try JSONSnapshot(
                data: withOriginsAsText(members, file.data).bytes,
                providerName: file.path,
                parsingOptions: .init(secretsSpecifier: .all)
            )
        } catch {
            // A value of a wrong type, already recorded, may be the reason.
            guard mistakes.count == countBefore else { return nil }
            let detail = "not a JSON object of settings: \(SafeText.shortened("\(error)", to: 200))"
            mistakes.append(SettingMistake(name: "config", origin: file.path, detail: detail))
            return nil
        }
    }

    /// Returns the file with the object of `origins` as text, since a snapshot has only flat values.
    private static func withOriginsAsText(
        _ members: [String: SettingsFileValue],
        _ data: Data
    ) throws -> Data {
        guard case .object? = members[ServeSetting.origins.name] else { return data }
        var members = members
        let origins = try JSONEncoder().encode(members[ServeSetting.origins.name])
        members[ServeSetting.origins.name] = .text(String(decoding: origins, as: UTF8.self))
        return try JSONEncoder().encode(members)
    }

    private static let prefix = "CALOTYPE_"
    private static let variables = ServeSetting.all.map(\.variable) + ["CALOTYPE_CONFIG"]
    /// Variables of this package's builds.
    private static let others: Set = ["CALOTYPE_LOCAL"]

    /// Returns mistakes for unknown variables that are nearly the name of a setting.
    private static func misspelt(_ environment: [String: String]) -> [SettingMistake] {
        unknown(environment).compactMap { name in
            let near = near(name)
            guard !near.isEmpty else { return nil }
            let detail = "unknown setting; did you mean \(near.joined(separator: " or "))?"
            return SettingMistake(name: name, origin: "environment", detail: detail)
        }
    }

    /// Returns the variables that a name may be a misspelling of.
    ///
    /// A match prevents the start, so it must be closer than for a hint: too many short names are near one
    /// another.
    private static func near(_ name: String) -> [String] {
        let typed = Array(name.dropFirst(prefix.count))
        guard (6...40).contains(typed.count) else { return [] }
        return variables.sorted().filter { variable in
            Array(variable.dropFirst(prefix.count)).difference(from: typed).count <= 2
        }
    }

    private static func unknown(_ environment: [String: String]) -> [String] {
        environment.keys.filter { name in
            name.hasPrefix(prefix) && !variables.contains(name) && !others.contains(name)
        }.sorted()
    }

    /// Returns warnings about unknown and empty variables, one line each.
    private static func unknownVariables(_ environment: [String: String]) -> [String] {
        let empty = variables.filter { environment[$0]?.isEmpty == true }
        return unknown(environment).map { "\($0) is not a setting; it is ignored" }
            + empty.map { "\($0) is empty; it counts as unset" }
    }
}
