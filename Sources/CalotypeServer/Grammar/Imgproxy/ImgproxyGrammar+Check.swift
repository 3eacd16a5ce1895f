extension ImgproxyGrammar {
    /// Validates the presets, as a service does before it starts.
    ///
    /// - Returns: An error for each preset that no URL can use: it has an unknown or forbidden option, an
    ///   unknown preset, or includes itself.
    public func presetErrors() -> [RequestError] {
        presets.options.keys.sorted().compactMap { name in
            do throws(RequestError) {
                try check(preset: name)
                return nil
            } catch {
                let detail = "preset \(name.quoted): \(error.detail)"
                return RequestError(error.code, option: error.option, detail: detail)
            }
        }
    }

    /// Whether an option name, in any of its spellings, is supported.
    public static func supportsOption(_ name: String) -> Bool {
        guard !["preset", "pr"].contains(name) else { return true }
        // Some options are supported for one of their values only.
        return [[], ["0"], ["1"]].contains { (values: [Substring]) in
            var settings = ImgproxySettings()
            do throws(RequestError) {
                try settings.apply(OptionArguments(name: name, values: values, limits: GrammarLimits()))
                return true
            } catch {
                return ![.unknownOption, .unsupportedOption, .forbiddenOption].contains(error.code)
            }
        }
    }

    /// The names of supported options, in all spellings.
    public static var optionNames: [String] {
        let others = ["preset", "pr", "dpr", "raw", "exif"]
        let names = ImgproxySettings.longNames.flatMap { [$0.key, $0.value] } + others
        return Set(names).filter(supportsOption).sorted()
    }

    private func check(preset name: String) throws(RequestError) {
        try checkNesting(of: name, below: [])
        var expansion = PresetExpansion(presets: presets, separator: separator, limits: limits)
        try expansion.add(preset: name)
        var settings = ImgproxySettings()
        for option in expansion.options { try settings.apply(option) }
    }

    /// Rejects presets that include themselves; expansion skips these silently.
    private func checkNesting(of name: String, below parents: Set<String>) throws(RequestError) {
        guard !parents.contains(name) else {
            let detail = "the preset \(name.quoted) includes itself"
            throw RequestError(.invalidOption, option: "preset", detail: detail)
        }
        for option in presets.options[name] ?? [] {
            let parts = option.split(separator: separator, omittingEmptySubsequences: false)
            guard ["preset", "pr"].contains(parts.first) else { continue }
            let parents = parents.union([name])
            for child in parts.dropFirst() { try checkNesting(of: String(child), below: parents) }
        }
    }
}
