import CalotypeServer
import TestSupport
import Testing

/// Presets of a configuration that are invalid in every URL.
@Suite(.gated) struct PresetCheckTests {
    private func errors(_ definitions: String..., separator: Character = ":") throws -> [RequestError] {
        var grammar = ImgproxyGrammar(presets: try ImgproxyPresets(definitions))
        grammar.separator = separator
        return grammar.presetErrors()
    }

    @Test func `presets of known options are valid`() throws {
        #expect(try errors("a=rs:fill:150:150/f:png", "b=pr:a/q:70", "default=el:1").isEmpty)
        #expect(try errors("a=w;9", separator: ";").isEmpty)
    }

    @Test(arguments: [
        ("a=foo:1", RequestError.Code.unknownOption), ("a=w:x", .invalidOption),
        ("a=ba:1", .unsupportedOption), ("a=msr:5", .forbiddenOption), ("a=pr:b", .invalidOption),
        ("a=pr:a", .invalidOption), ("a=w9", .unknownOption),
    ])
    func `a preset that is invalid in every URL is an error`(text: String, code: RequestError.Code) throws {
        let errors = try errors(text)
        #expect(errors.map(\.code) == [code] && errors[0].detail.hasPrefix("preset “a”: "), "\(errors)")
    }

    @Test func `option names are known in each of their spellings`() {
        for name in ["w", "width", "rs", "resize", "pr", "preset", "sm", "strip_metadata", "q", "raw", "dpr"]
        {
            #expect(ImgproxyGrammar.supportsOption(name), "\(name)")
        }
        for name in ["", "widht", "ba", "blur_areas", "msr", "W"] {
            #expect(!ImgproxyGrammar.supportsOption(name), "\(name)")
        }
        #expect(ImgproxyGrammar.optionNames.contains("width") && !ImgproxyGrammar.optionNames.contains("ba"))
    }

    @Test(arguments: ["a.test/*", "a.test/b*", "*.a.test/*/c", "http://*", "a.*.test", "*"])
    func `a source pattern that matches nothing is refused`(text: String) {
        #expect(throws: RequestError.self) { try SourcePolicy.Pattern(text) }
    }
}
