import CalotypeCore
import CalotypeTransforms

/// URLs as they are made for imgproxy: `/{signature}/{option}/…/plain/{source}@{extension}`, or with the
/// source in URL-safe base64.
///
/// What the grammar has and this service does not is an error that names it, never left out of account.
public struct ImgproxyGrammar: Hashable, Sendable {
    /// How URLs are signed.
    public var signature: ImgproxySignature

    /// Lists of options by their names; `default` is put before those of every URL.
    public var presets: ImgproxyPresets

    /// Whether a URL names presets and nothing else; false unless set.
    public var hasOnlyPresets = false

    /// Whether the last part of a source in base64 is a file's name for search engines; false unless set.
    public var base64HasFileName = false

    /// What stands between a name and its arguments; `:` unless set.
    public var separator: Character = ":"

    /// What is put before a source that does not begin so; empty unless set.
    public var baseURL = ""

    /// The options that may be used, each as it is written; `nil`, the default, for all.
    public var allowedOptions: Set<String>?

    /// How much of a URL is read.
    public var limits = GrammarLimits()

    /// Creates a grammar; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - signature: How URLs are signed.
    ///   - presets: Lists of options by their names.
    public init(
        signature: ImgproxySignature = ImgproxySignature(keys: []),
        presets: ImgproxyPresets = ImgproxyPresets()
    ) {
        self.signature = signature
        self.presets = presets
    }

    /// What a URL asks for.
    ///
    /// - Parameter target: What the request line asks for, as it came: percent-encoded, not normalised.
    /// - Returns: The rendering; its `expires` has not been looked at.
    /// - Throws: ``RequestError``; with `invalidSignature` before any option is looked at.
    public func rendering(of target: String) throws(RequestError) -> Rendering {
        let path = try ImgproxyPath(target, limits)
        try signature.check(path.signature, of: path.signedText)
        return try rendering(ofSigned: path.signedText)
    }

    /// The URL's path with its signature: that of the first key, or `unsafe` where there is none.
    ///
    /// - Parameter path: Options and source, with a leading `/`, percent-encoded.
    /// - Returns: The path, normalised.
    /// - Throws: ``RequestError`` where it is no path.
    public func signed(_ path: String) throws(RequestError) -> String {
        let normalised = try ImgproxyPath("/unsafe" + path, limits).signedText
        return "/\(signature.signature(of: normalised) ?? "unsafe")\(normalised)"
    }

    private func rendering(ofSigned path: String) throws(RequestError) -> Rendering {
        let plain = ImgproxyPath.startOfPlain(path)
        let head = plain.map { path[..<$0.lowerBound] } ?? path[...]
        // Behind the first slash.
        var segments = head.parts(between: UInt8(ascii: "/"))[1...]
        if head.isEmpty { segments = [] }
        try checkFirst(segments.first)
        var settings = ImgproxySettings()
        try apply(takeOptions(from: &segments), to: &settings)
        let source: ImgproxySource
        if let plain {
            guard segments.isEmpty else {
                throw RequestError(
                    .malformedPath,
                    detail: "\(segments[segments.startIndex].quoted) is no option"
                )
            }
            source = try ImgproxySource(plain: path[plain.upperBound...])
        } else {
            source = try ImgproxySource(base64: segments, hasFileName: base64HasFileName)
        }
        if let end = source.fileExtension, !settings.isRaw {
            settings.format = try ImgproxySettings.format(named: end, option: "extension")
        }
        return settings.rendering(of: try SourceURL(source.text(after: baseURL)))
    }

    /// Refuses what imgproxy had in its first versions, and what only its paid one has.
    private func checkFirst(_ segment: Substring?) throws(RequestError) {
        guard let segment else { return }
        if ImgproxyLayout.ResizingType(rawValue: String(segment)) != nil {
            throw RequestError(
                .malformedPath,
                detail: "\(segment.quoted): options are written “rs:\(segment):…”"
            )
        }
    }

    /// Takes the segments that are options.
    private func takeOptions(
        from segments: inout ArraySlice<Substring>
    ) throws(RequestError) -> [Substring] {
        if hasOnlyPresets {
            guard let names = segments.popFirst() else {
                throw RequestError(.malformedPath, detail: "there is no preset")
            }
            return ["pr\(separator)\(names)"]
        }
        let options = segments.prefix { $0.firstRange(ofBytes: String(separator)) != nil }
        segments = segments.dropFirst(options.count)
        guard let allowedOptions else { return Array(options) }
        let refused = options.map(name(of:)).first { !allowedOptions.contains($0) }
        if let refused {
            throw RequestError(.forbiddenOption, option: refused, detail: "\(refused.quoted) is not allowed")
        }
        return Array(options)
    }

    private func name(of option: Substring) -> String { String(option.prefix { $0 != separator }) }

    private func apply(
        _ options: [Substring],
        to settings: inout ImgproxySettings
    ) throws(RequestError) {
        var expansion = PresetExpansion(presets: presets, separator: separator, limits: limits)
        if presets.hasDefault { try expansion.add(preset: "default") }
        for option in options { try expansion.add(option) }
        for option in expansion.options { try settings.apply(option) }
    }
}
