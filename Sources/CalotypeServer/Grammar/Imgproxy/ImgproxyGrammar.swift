import CalotypeCore
import CalotypeTransforms

/// URLs of imgproxy: `/{signature}/{option}/…/plain/{source}@{extension}`, or with the source in URL-safe
/// base64.
///
/// An option of the grammar that this service does not support is an error that names it; it is never
/// ignored.
public struct ImgproxyGrammar: Hashable, Sendable {
    /// The verification of signatures.
    public var signature: ImgproxySignature

    /// The named option lists; `default` is applied before the options of every URL.
    public var presets: ImgproxyPresets

    /// Whether URLs contain preset names only; false unless set.
    public var allowsOnlyPresets = false

    /// Whether the last segment of a base64 source is a file name, which is ignored; false unless set.
    public var base64HasFileName = false

    /// The separator between an option and its arguments; `:` unless set.
    public var separator: Character = ":"

    /// The prefix of sources that do not begin with it; empty unless set.
    public var baseURL = ""

    /// The allowed options, each in the spelling of URLs; `nil`, the default, allows all.
    public var allowedOptions: Set<String>?

    /// The widths that unsigned URLs are rounded up to; `nil`, the default, allows all.
    public var widths: AllowedWidths?

    /// Limits on URLs.
    package var limits = GrammarLimits()

    /// Creates a grammar; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - signature: The verification of signatures.
    ///   - presets: The named option lists.
    public init(
        signature: ImgproxySignature = ImgproxySignature(keys: []),
        presets: ImgproxyPresets = ImgproxyPresets()
    ) {
        self.signature = signature
        self.presets = presets
    }

    /// Parses a URL.
    ///
    /// - Parameters:
    ///   - target: The path of the request line, as received: percent-encoded, not normalised.
    ///   - hints: The defaults of width and density, below those of presets.
    /// - Returns: The rendering; its `expires` is not checked.
    /// - Throws: ``RequestError``; with `invalidSignature` before any option is parsed.
    package func rendering(
        of target: String,
        _ hints: ClientHints = .none
    ) throws(RequestError) -> Rendering {
        let path = try ImgproxyPath(target, limits)
        try signature.check(path.signature, of: path.signedText)
        return try rendering(ofSigned: path.signedText, hints)
    }

    /// Parses the path of an upload: `/{signature}/{option}/…/plain/-@{extension}`.
    ///
    /// - Parameters:
    ///   - target: The path of the request line, as received.
    ///   - isAuthorized: Whether the request has the token of uploads, which replaces the signature.
    /// - Returns: The rendering; its source is a placeholder.
    /// - Throws: ``RequestError``; with `invalidSignature` before any option is parsed.
    package func rendering(
        ofUpload target: String,
        isAuthorized: Bool
    ) throws(RequestError) -> Rendering {
        let path = try ImgproxyPath(target, limits)
        if isAuthorized {
            // Any signature passes, except an option in its place.
            try ImgproxySignature(keys: []).check(path.signature, of: path.signedText)
        } else {
            guard signature.isRequired else { throw .badSignature("uploads need a signature or a token") }
            try signature.check(path.signature, of: path.signedText)
        }
        return try rendering(ofSigned: path.signedText, isUpload: true)
    }

    /// The text in place of the source of an upload.
    package static let uploadSource = "-"

    /// Returns the path with its signature by the first key, or with `unsafe` if there is no key.
    ///
    /// - Parameter path: Options and source, with a leading `/`, percent-encoded.
    /// - Returns: The path, normalised.
    /// - Throws: ``RequestError`` for an invalid path.
    public func signed(_ path: String) throws(RequestError) -> String {
        var normalised = try ImgproxyPath("/unsafe" + path, limits).signedText
        // Each pass repairs one URL, and the service makes a further pass before it verifies the signature.
        while case let next = try ImgproxyPath("/unsafe" + normalised, limits).signedText, next != normalised
        {
            normalised = next
        }
        return "/\(signature.signature(of: normalised) ?? "unsafe")\(normalised)"
    }

    private func rendering(
        ofSigned path: String,
        _ hints: ClientHints = .none,
        isUpload: Bool = false
    ) throws(RequestError) -> Rendering {
        let plain = ImgproxyPath.startOfPlain(path)
        let head = plain.map { path[..<$0.lowerBound] } ?? path[...]
        // The path begins with a slash.
        var rest = head.isEmpty ? nil : head[head.utf8.index(after: head.startIndex)...]
        try checkFirst(rest.map(Self.first))
        var settings = ImgproxySettings()
        if let width = hints.width { settings.layout.width = width }
        if let density = hints.density { settings.layout.dpr = density }
        try apply(takeOptions(from: &rest), to: &settings)
        let source: ImgproxySource
        if let plain {
            if let rest {
                let detail = "\(Self.first(rest).quoted) is not an option"
                throw RequestError(.malformedPath, detail: detail)
            }
            source = try ImgproxySource(plain: path[plain.upperBound...])
        } else {
            source = try ImgproxySource(base64: rest ?? "", hasFileName: base64HasFileName)
        }
        if let end = source.fileExtension, !settings.isRaw {
            settings.format = try ImgproxySettings.format(named: end, option: "extension")
        }
        if let widths, !signature.isRequired, !isUpload { settings.round(to: widths) }
        guard isUpload else { return settings.rendering(of: try SourceURL(source.text(after: baseURL))) }
        guard plain != nil, source.text == Self.uploadSource else {
            throw RequestError(.invalidSource, detail: "the source of an upload is plain/-, not a URL")
        }
        return settings.rendering(of: try SourceURL("http://upload.invalid/"))
    }

    /// Rejects the syntax of imgproxy's first versions, and of its paid version.
    private func checkFirst(_ segment: Substring?) throws(RequestError) {
        guard let segment else { return }
        if ImgproxyLayout.ResizingType(rawValue: String(segment)) != nil {
            throw RequestError(
                .malformedPath,
                detail: "\(segment.quoted): write options like “rs:\(segment):…”"
            )
        }
    }

    private static func first(_ text: Substring) -> Substring { text.prefix(before: UInt8(ascii: "/")) }

    /// Removes the first segment; leaves `nil` if there is no other one.
    private static func removeFirst(from text: inout Substring?) {
        text = text.flatMap { text in
            let end = first(text).endIndex
            return end < text.endIndex ? text[text.utf8.index(after: end)...] : nil
        }
    }

    /// Removes and returns the segments that are options, and one beyond the limit if there are more.
    private func takeOptions(from rest: inout Substring?) throws(RequestError) -> [Substring] {
        if allowsOnlyPresets {
            guard let names = rest.map(Self.first) else {
                throw RequestError(.malformedPath, detail: "a preset name is missing")
            }
            Self.removeFirst(from: &rest)
            return ["pr\(separator)\(names)"]
        }
        var options: [Substring] = []
        while options.count <= limits.maxOptionCount, let option = rest.map(Self.first),
            option.firstRange(ofBytes: String(separator)) != nil
        {
            options.append(option)
            Self.removeFirst(from: &rest)
        }
        guard let allowedOptions else { return options }
        let refused = options.map(name(of:)).first { !allowedOptions.contains($0) }
        if let refused {
            throw RequestError(.forbiddenOption, option: refused, detail: "\(refused.quoted) is not allowed")
        }
        return options
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
