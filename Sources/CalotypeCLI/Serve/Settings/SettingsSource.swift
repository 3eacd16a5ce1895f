import CalotypeCore
import Configuration
import Foundation

/// Gathers settings from flags, the environment and a file, and tells of all that is wrong at once.
struct SettingsSource: Sendable {
    private static let fileByteCountMax = 1 << 20

    /// What holds.
    let settings: ServeSettings
    /// What is set and not followed, a line each.
    let warnings: [String]

    /// Reads them.
    ///
    /// - Parameters:
    ///   - arguments: What the command line has for settings: `--name value`, `--name=value`, `--name`.
    ///   - environment: The environment.
    ///   - path: The file; else that of `CALOTYPE_CONFIG`.
    /// - Returns: What holds.
    /// - Throws: ``SettingMistakes``.
    static func read(
        _ arguments: [String],
        _ environment: [String: String],
        file path: String?
    ) async throws(SettingMistakes) -> SettingsSource {
        let path = path ?? environment["CALOTYPE_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        var file: (path: String, data: Data)?
        if let path {
            do {
                let data = try await FileBytes.read(
                    path,
                    limits: DecodeLimits(byteCountMax: fileByteCountMax)
                )
                // Editors of other systems begin a file with a byte order mark, which JSON does not allow.
                file = (path, data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data)
            } catch {
                let detail = "it cannot be read: \(ErrorText.describe(error))"
                throw SettingMistakes(mistakes: [SettingMistake(name: "config", origin: path, detail: detail)]
                )
            }
        }
        return try SettingsSource(arguments, environment, file)
    }

    /// Reads them, where the file has been read.
    ///
    /// - Throws: ``SettingMistakes``.
    init(
        _ arguments: [String],
        _ environment: [String: String],
        _ file: (path: String, data: Data)? = nil
    ) throws(SettingMistakes) {
        var mistakes: [SettingMistake] = []
        let flags = Self.flags(arguments, &mistakes)
        let imgproxy = ImgproxyVariables(environment)
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
            throw SettingMistakes(mistakes: mistakes + error.mistakes)
        }
        guard mistakes.isEmpty else { throw SettingMistakes(mistakes: mistakes) }
        warnings = imgproxy.warnings + Self.unknownVariables(environment)
    }

    /// The names and values of flags; what is none is a mistake.
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
            } else if let value = rest.popFirst() {
                flags[setting.name] = value
            } else {
                let detail = "there is no value behind it"
                mistakes.append(SettingMistake(name: setting.name, origin: "flag", detail: detail))
            }
        }
        return flags
    }

    private static func setting(named name: String) -> ServeSetting? {
        ServeSetting.all.first { $0.name == name }
    }

    private static func unknown(_ text: String, _ name: String, origin: String) -> SettingMistake {
        let near = NearNames.of(name, among: ServeSetting.all.map(\.name))
        let hint = near.isEmpty ? "" : "; there is \(near.joined(separator: ", "))"
        return SettingMistake(
            // The next argument may be a key.
            name: SafeText.shortened(String(text.prefix { $0 != "=" })),
            origin: origin,
            detail: "there is no such setting\(hint)"
        )
    }

    /// What a file in JSON has: one object whose members have the names of settings.
    private static func snapshot(
        of file: (path: String, data: Data),
        _ mistakes: inout [SettingMistake]
    ) -> (any ConfigSnapshot)? {
        do {
            let members = try JSONSerialization.jsonObject(with: file.data) as? [String: Any] ?? [:]
            for name in members.keys.sorted() where setting(named: name) == nil {
                mistakes.append(unknown(name, name, origin: file.path))
            }
            return try JSONSnapshot(
                data: file.data.bytes,
                providerName: file.path,
                parsingOptions: .init(secretsSpecifier: .all)
            )
        } catch {
            let detail = "it is no JSON object of settings: \(SafeText.shortened("\(error)", to: 200))"
            mistakes.append(SettingMistake(name: "config", origin: file.path, detail: detail))
            return nil
        }
    }

    private static func unknownVariables(_ environment: [String: String]) -> [String] {
        let known = Set(ServeSetting.all.map(\.variable) + ["CALOTYPE_CONFIG"])
        return environment.keys.filter { $0.hasPrefix("CALOTYPE_") && !known.contains($0) }.sorted().map {
            name in
            let near = NearNames.of(name, among: known.sorted())
            return "\(name) is set, and there is no such setting"
                + (near.isEmpty ? "" : "; there is \(near.joined(separator: ", "))")
        }
    }
}
