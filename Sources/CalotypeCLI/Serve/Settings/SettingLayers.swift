import Configuration
import Foundation

/// Where settings come from, the first that has one counts: flags, the environment, what the environment says
/// for imgproxy, a file.
struct SettingLayers: Sendable {
    /// Which of them.
    enum Origin: Hashable, Sendable {
        case flag
        case environment(String)
        case file(String)
        case standard

        /// For people.
        var text: String {
            switch self {
            case .flag: "flag"
            case .environment(let name): name
            case .file(let path): path
            case .standard: "default"
            }
        }
    }

    /// What a layer has.
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

    /// Creates the layers.
    ///
    /// - Parameters:
    ///   - flags: What flags say, by the names of settings.
    ///   - environment: The environment.
    ///   - imgproxy: What the environment says for imgproxy, with the variable that says it.
    ///   - file: The path of a file and what it has.
    init(
        flags: [String: String],
        environment: [String: String],
        imgproxy: [String: ImgproxyVariables.Value] = [:],
        file: (path: String, snapshot: any ConfigSnapshot)? = nil
    ) {
        // A variable that is empty says nothing.
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

    /// What the first layer that has a setting says of it; `nil` where none does.
    ///
    /// - Throws: Where it is neither text, nor a number, nor a list of texts.
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

    /// The value in whichever type a file has it.
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
                // It is of another type; the last one tells if it is of none.
            }
        }
        let value = try snapshot.value(forKey: key, type: .double).value
        guard case .double(let number)? = value?.content else { return nil }
        return Found(values: ["\(number)"], origin: .standard)
    }
}
