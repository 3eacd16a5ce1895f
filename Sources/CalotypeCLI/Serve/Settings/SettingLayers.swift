import Configuration
import Foundation

/// The sources of settings, in order of precedence: flags, `CALOTYPE_` variables, `IMGPROXY_` variables, a
/// file.
struct SettingLayers: Sendable {
    /// The source of a value.
    enum Origin: Hashable, Sendable {
        case flag
        case environment(String)
        case file(String)
        case standard

        /// The origin as shown to operators.
        var text: String {
            switch self {
            case .flag: "flag"
            case .environment(let name): name
            case .file(let path): path
            case .standard: "default"
            }
        }
    }

    /// The value of a setting in one layer.
    struct Found: Hashable, Sendable {
        var values: [String]
        var isList = false
        var origin: Origin
    }

    private struct Layer: Sendable {
        let snapshot: any ConfigSnapshot
        let path: [String]
        let origin: @Sendable (ServeSetting) -> Origin
    }

    private let layers: [Layer]

    /// - Parameters:
    ///   - flags: Flag values by setting name.
    ///   - environment: The environment.
    ///   - imgproxy: Values from `IMGPROXY_` variables by setting name, with the variable of each.
    ///   - file: The path and the contents of a file.
    init(
        flags: [String: String],
        environment: [String: String],
        imgproxy: [String: ImgproxyVariables.Value] = [:],
        file: (path: String, snapshot: any ConfigSnapshot)? = nil
    ) {
        // An empty variable counts as unset.
        let variables = environment.filter { !$0.value.isEmpty }
        var layers = [
            Layer(snapshot: Self.provider("flags", flags), path: []) { _ in .flag },
            Layer(
                snapshot: EnvironmentVariablesProvider(environmentVariables: variables).snapshot(),
                path: ["calotype"]
            ) { .environment($0.variable) },
            Layer(snapshot: Self.provider("imgproxy", imgproxy.mapValues(\.text)), path: []) { setting in
                .environment(imgproxy[setting.name]?.variable ?? "")
            },
        ]
        if let file { layers.append(Layer(snapshot: file.snapshot, path: []) { _ in .file(file.path) }) }
        self.layers = layers
    }

    /// Returns the value from the first layer that has the setting, or `nil` if no layer has it.
    ///
    /// - Throws: An error if it is neither text, a number nor a list of texts.
    func find(_ setting: ServeSetting) throws -> Found? {
        for layer in layers {
            let key = AbsoluteConfigKey(layer.path + [setting.name])
            if var found = try Self.value(of: key, in: layer.snapshot) {
                found.origin = layer.origin(setting)
                return found
            }
        }
        return nil
    }

    private static func provider(_ name: String, _ values: [String: String]) -> any ConfigSnapshot {
        let pairs = values.map {
            (AbsoluteConfigKey([$0.key]), ConfigValue(.string($0.value), isSecret: true))
        }
        return InMemoryProvider(name: name, values: Dictionary(uniqueKeysWithValues: pairs)).snapshot()
    }

    /// Returns the value, whichever of the supported types it has.
    private static func value(of key: AbsoluteConfigKey, in snapshot: any ConfigSnapshot) throws -> Found? {
        for type in [ConfigType.string, .stringArray, .int] {
            do {
                guard let value = try snapshot.value(forKey: key, type: type).value else { return nil }
                switch value.content {
                case .string(let text): return Found(values: [text], origin: .standard)
                case .stringArray(let texts): return Found(values: texts, isList: true, origin: .standard)
                case .int(let number): return Found(values: ["\(number)"], origin: .standard)
                default: return nil
                }
            } catch {
                // It has another type; reading the last type below throws if no type fits.
            }
        }
        let value = try snapshot.value(forKey: key, type: .double).value
        guard case .double(let number)? = value?.content else { return nil }
        return Found(values: ["\(number)"], origin: .standard)
    }
}
