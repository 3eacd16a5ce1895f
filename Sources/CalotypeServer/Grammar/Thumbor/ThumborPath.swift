import CalotypeCore
import CalotypeLoading
import CalotypeTransforms

/// Parses the segments of a thumbor path in their fixed order; any other segment begins the source.
struct ThumborPath {
    private var rest: Substring
    private let limits: GrammarLimits
    /// The widths that the size is rounded up to; `nil` for no change.
    private let widths: AllowedWidths?
    private var settings = ThumborSettings()

    init(_ path: Substring, _ limits: GrammarLimits, _ widths: AllowedWidths? = nil) {
        (rest, self.limits, self.widths) = (path, limits, widths)
    }

    mutating func rendering(defaultScheme: String) throws(RequestError) -> Rendering {
        for name in ["debug", "meta"] where takes(name) {
            throw RequestError(.unsupportedOption, option: name, detail: "\(name) is not supported")
        }
        settings.defaultScheme = defaultScheme
        try takeTrim()
        try takeCrop()
        takeFit()
        try takeSize()
        takeAlignment()
        try takeFilters()
        // A `%` without two digits is literal, as in thumbor.
        let bytes = percentDecoded(rest.utf8)
        guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
            throw RequestError(.invalidSource, detail: "\(rest.quoted) is not a source")
        }
        if let widths { settings.layout.round(to: widths) }
        let url = try SourceURL(Self.hasScheme(text) ? text : "\(defaultScheme)://\(text)")
        return settings.rendering(of: url)
    }

    static func hasScheme(_ text: String) -> Bool {
        ["http:", "https:", "local:"].contains { text.prefix(6).lowercased().hasPrefix($0) }
    }

    /// The next segment, if another one follows and it is short enough to be an option.
    private var segment: Substring? {
        let end = rest.utf8.prefix(Self.maxPartByteCount).firstIndex(of: UInt8(ascii: "/"))
        return end.map { rest[..<$0] }
    }

    private static let maxPartByteCount = 256

    private mutating func skip(_ segment: Substring) {
        rest = rest[rest.utf8.index(after: segment.endIndex)...]
    }

    private mutating func takes(_ word: String) -> Bool {
        guard let segment, segment == word else { return false }
        skip(segment)
        return true
    }

    private mutating func takeTrim() throws(RequestError) {
        guard let segment, segment == "trim" || segment.hasPrefix("trim:") else { return }
        let values = segment.split(separator: ":", omittingEmptySubsequences: false).dropFirst()
        var option = OptionArguments(name: "trim", values: Array(values), limits: limits)
        if option.text(0) == "bottom-right" {
            throw option.unsupported("only top-left is supported")
        }
        if option.text(0) == "top-left" { option = option.dropFirst(1) }
        try option.expect(0...1)
        // Thumbor's value is a distance in colour space, which no channel's difference exceeds.
        settings.trimTolerance = option.count == 0 ? 0 : min(255, try option.integer(0, 0...442))
        skip(segment)
    }

    /// Parses `left x top : right x bottom`.
    private mutating func takeCrop() throws(RequestError) {
        guard let segment else { return }
        let corners = segment.split(separator: ":", omittingEmptySubsequences: false).map { corner in
            corner.split(separator: "x", omittingEmptySubsequences: false)
        }
        guard corners.count == 2, corners.allSatisfy({ $0.count == 2 }) else { return }
        let digits = corners.joined()
        guard digits.allSatisfy({ Self.isNumber($0) }) else { return }
        let option = OptionArguments(name: "crop", values: Array(digits), limits: limits)
        var sides: [Int] = []
        for index in 0..<4 { sides.append(try option.side(index)) }
        settings.layout.crop = PixelRect(
            x: sides[0],
            y: sides[1],
            width: sides[2] - sides[0],
            height: sides[3] - sides[1]
        )
        skip(segment)
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    private mutating func takeFit() {
        guard let segment else { return }
        let words = ["fit-in", "full-fit-in", "adaptive-fit-in", "adaptive-full-fit-in"]
        guard words.contains(String(segment)) else { return }
        let isFull = segment.contains("full-")
        settings.layout.fit = ThumborLayout.Fit(isFull: isFull, isAdaptive: segment.hasPrefix("adaptive-"))
        skip(segment)
    }

    /// Parses `-width x -height`.
    private mutating func takeSize() throws(RequestError) {
        guard let segment else { return }
        let sides = segment.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return }
        let isFlipped = sides.map { $0.hasPrefix("-") }
        let texts = zip(sides, isFlipped).map { $1 ? $0.dropFirst() : $0 }
        guard texts.allSatisfy({ $0.isEmpty || $0 == "orig" || Self.isNumber($0) }) else { return }
        let option = OptionArguments(name: "size", values: texts, limits: limits)
        settings.layout.width = try Self.side(option, 0)
        settings.layout.height = try Self.side(option, 1)
        (settings.layout.flipsHorizontally, settings.layout.flipsVertically) = (isFlipped[0], isFlipped[1])
        skip(segment)
    }

    private static func side(
        _ option: OptionArguments,
        _ index: Int
    ) throws(RequestError) -> ThumborLayout.Side {
        if option.text(index).isEmpty { return .proportional }
        if option.text(index) == "orig" { return .original }
        let count = try option.side(index)
        return count == 0 ? .proportional : .pixels(count)
    }

    private mutating func takeAlignment() {
        if takes("left") {
            settings.layout.alignmentX = 0
        } else if takes("right") {
            settings.layout.alignmentX = 1
        } else {
            _ = takes("center")
        }
        if takes("top") {
            settings.layout.alignmentY = 0
        } else if takes("bottom") {
            settings.layout.alignmentY = 1
        } else {
            _ = takes("middle")
        }
        settings.layout.isSmart = takes("smart")
    }

    /// Parses `filters:name(a,b):name()`, up to the first `)/`.
    private mutating func takeFilters() throws(RequestError) {
        guard rest.hasPrefix("filters:"), let end = rest.firstRange(ofBytes: ")/") else { return }
        let text = rest[..<end.lowerBound].dropFirst("filters:".count)
        guard let decoded = URLText.percentDecoded(text) else {
            throw RequestError(.invalidOption, option: "filters", detail: "invalid percent-encoding")
        }
        let filters = decoded.parts(betweenBytes: "):").filter { !$0.isEmpty }
        guard filters.count <= limits.maxOptionCount else {
            throw RequestError(.pathTooLong, detail: "\(filters.count) filters")
        }
        for filter in filters {
            let name = filter.prefix(before: UInt8(ascii: "("))
            let values = Self.arguments(filter.dropping(name))
            let option = OptionArguments(name: String(name), values: values, limits: limits)
            guard values.count <= limits.maxArgumentCount else {
                throw option.error("\(values.count) arguments")
            }
            try settings.apply(option)
        }
        rest = rest[end.upperBound...]
    }

    /// Splits arguments at commas and trims blanks; commas within `'…'` or `[…]` do not separate.
    static func arguments(_ text: Substring) -> [Substring] {
        var (isQuoted, isInList) = (false, false)
        let parts = text.utf8.split(omittingEmptySubsequences: false) { byte in
            if byte == UInt8(ascii: "'") { isQuoted.toggle() }
            if byte == UInt8(ascii: "[") { isInList = true }
            if byte == UInt8(ascii: "]") { isInList = false }
            return byte == UInt8(ascii: ",") && !isQuoted && !isInList
        }.map { text[$0.startIndex..<$0.endIndex] }
        let values = parts.map { part in
            var part = part.drop { $0 == " " }
            while part.utf8.last == UInt8(ascii: " ") { part.removeLast() }
            return part.count >= 2 && part.hasPrefix("'") && part.hasSuffix("'")
                ? part.dropFirst().dropLast() : part
        }
        return values == [""] ? [] : values
    }
}
