/// Named lists of options.
public struct ImgproxyPresets: Hashable, Sendable {
    let options: [String: [Substring]]

    /// Creates an empty list.
    public init() { options = [:] }

    /// Parses definitions as in imgproxy's settings: `thumb=rs:fill:150:150/f:png`.
    ///
    /// - Throws: ``RequestError`` with `invalidOption` for an invalid or repeated definition.
    public init(_ definitions: [String]) throws(RequestError) {
        var options: [String: [Substring]] = [:]
        for definition in definitions {
            let parts = definition.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, options[String(parts[0])] == nil
            else {
                let detail = "\(definition.quoted) is not a definition such as thumb=rs:fill:150:150/f:png"
                throw RequestError(.invalidOption, option: "preset", detail: detail)
            }
            options[String(parts[0])] = parts[1].split(separator: "/")
        }
        self.options = options
    }

    var hasDefault: Bool { options["default"] != nil }
}

/// Options with presets replaced by their contents.
struct PresetExpansion {
    let presets: ImgproxyPresets
    let separator: Character
    let limits: GrammarLimits
    private(set) var options: [OptionArguments] = []
    private var open: Set<String> = []

    init(presets: ImgproxyPresets, separator: Character, limits: GrammarLimits) {
        (self.presets, self.separator, self.limits) = (presets, separator, limits)
    }

    mutating func add(_ text: Substring) throws(RequestError) {
        let parts = text.split(
            separator: separator,
            maxSplits: limits.maxArgumentCount + 1,
            omittingEmptySubsequences: false
        )
        let option = OptionArguments(name: String(parts[0]), values: Array(parts.dropFirst()), limits: limits)
        guard option.count <= limits.maxArgumentCount else {
            throw option.error("more than \(limits.maxArgumentCount) arguments")
        }
        guard ["preset", "pr"].contains(option.name) else {
            guard options.count < limits.maxOptionCount else {
                throw RequestError(.pathTooLong, detail: "more than \(limits.maxOptionCount) options")
            }
            options.append(option)
            return
        }
        for name in option.values { try add(preset: String(name)) }
    }

    mutating func add(preset name: String) throws(RequestError) {
        guard let preset = presets.options[name] else {
            throw RequestError(.invalidOption, option: "preset", detail: "unknown preset \(name.quoted)")
        }
        // A preset that includes itself was reported by the check of presets.
        guard open.insert(name).inserted else { return }
        defer { open.remove(name) }
        for option in preset { try add(option) }
    }
}
