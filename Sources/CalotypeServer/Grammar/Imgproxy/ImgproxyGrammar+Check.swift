extension ImgproxyGrammar {
    /// Checks the presets as a service does before it serves them.
    ///
    /// - Returns: An error for each preset that no URL could use: it names an option or a preset that is not
    ///   there, or one that is not allowed, or leads back to itself.
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

    /// Whether URLs may have an option of this name, in one of its spellings.
    public static func supportsOption(_ name: String) -> Bool {
        guard !["preset", "pr"].contains(name) else { return true }
        // Some are there for one of their values.
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

    /// The names of options that URLs may have, in each of their spellings.
    public static var optionNames: [String] {
        let others = ["preset", "pr", "dpr", "raw"]
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

    /// Refuses presets that lead back to themselves; what expands them skips these silently.
    private func checkNesting(of name: String, below parents: Set<String>) throws(RequestError) {
        guard !parents.contains(name) else {
            let detail = "the preset \(name.quoted) leads back to itself"
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
