import CalotypeLoading
import CalotypeSupport

/// Reads settings as values, and collects the mistakes.
struct SettingReader {
    private let layers: SettingLayers
    private(set) var mistakes: [SettingMistake] = []
    /// Warnings about values that are allowed but probably unintended, one line each.
    private(set) var warnings: [String] = []
    /// The effective values, in the order in which they were read.
    private(set) var holding: [(setting: ServeSetting, text: String, origin: SettingLayers.Origin)] = []

    init(_ layers: SettingLayers) {
        self.layers = layers
    }

    mutating func refuse(_ setting: ServeSetting, _ detail: String) {
        let origin = holding.last { $0.setting == setting }?.origin ?? .standard
        let mistake = SettingMistake(name: setting.name, origin: origin.text, detail: detail)
        if !mistakes.contains(mistake) { mistakes.append(mistake) }
    }

    mutating func warn(_ setting: ServeSetting, _ detail: String) {
        let origin = holding.last { $0.setting == setting }?.origin ?? .standard
        warnings.append("\(setting.name) (\(origin.text)): \(detail)")
    }

    func isGiven(_ setting: ServeSetting) -> Bool {
        holding.contains { $0.setting == setting && $0.origin != .standard }
    }

    /// Returns the text; empty if there is none.
    mutating func text(_ setting: ServeSetting) -> String {
        values(setting).joined(separator: ",")
    }

    mutating func list(_ setting: ServeSetting) -> [String] {
        values(setting).filter { !$0.isEmpty }
    }

    mutating func flag(_ setting: ServeSetting) -> Bool {
        guard let flag = Self.flag(text(setting)) else {
            refuse(setting, "“\(shown(setting))” is not a Boolean; use true or false")
            return false
        }
        return flag
    }

    /// Returns the Boolean of a setting's text, or `nil` for other text.
    static func flag(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "1", "yes", "on", "t": true
        case "false", "0", "no", "off", "f": false
        default: nil
        }
    }

    /// Returns the policy: true allows all addresses, false public ones only, ranges are allowed in addition.
    mutating func addresses(_ setting: ServeSetting) -> AddressPolicy {
        let texts = list(setting)
        if texts.count == 1, let flag = Self.flag(texts[0]) { return flag ? .any : .publicOnly }
        var ranges: Set<AddressRange> = []
        for text in texts {
            if Self.isAddress(text.prefix { $0 != "/" }), let range = AddressRange(text) {
                ranges.insert(range)
            } else {
                let shown = SafeText.shortened(text)
                refuse(setting, "“\(shown)” is not an address range; write it like 10.1.2.0/24 or ::1")
            }
        }
        return .publicOnly(allowing: ranges)
    }

    /// Whether a text is a complete address: the system would also parse `10`.
    private static func isAddress(_ text: Substring) -> Bool {
        guard !text.contains(":") else { return true }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && ($0.count == 1 || $0.first != "0") }
    }

    mutating func choice(_ setting: ServeSetting) -> String {
        let word = text(setting).lowercased()
        guard case .choice(let words) = setting.kind, !words.contains(word) else { return word }
        refuse(setting, "“\(shown(setting))” is not allowed; use \(words.joined(separator: ", "))")
        return setting.standard
    }

    mutating func count(_ setting: ServeSetting) -> Int {
        let text = text(setting)
        guard case .count(let range) = setting.kind else { return 0 }
        guard let count = Int(text), range.contains(count) else {
            refuse(setting, "“\(shown(setting))” is not a number in \(setting.range)")
            return Int(setting.standard) ?? range.lowerBound
        }
        return count
    }

    mutating func bytes(_ setting: ServeSetting) -> Int {
        let text = text(setting)
        guard case .bytes(let range) = setting.kind else { return 0 }
        if let part = Self.percentage(text) {
            let count = MainMemory.byteCount / 100 * part
            return min(max(count, range.lowerBound), range.upperBound)
        }
        guard let count = ByteCountArgument(argument: text)?.count, range.contains(count) else {
            refuse(setting, "“\(shown(setting))” is not a byte count in \(setting.range), such as 64MB")
            return ByteCountArgument(argument: setting.standard)?.count ?? range.lowerBound
        }
        return count
    }

    /// Parses `70%`, a share of the memory available to the process; `nil` for other text.
    private static func percentage(_ text: String) -> Int? {
        guard text.hasSuffix("%"), let part = Int(text.dropLast()) else { return nil }
        return (1...100).contains(part) ? part : nil
    }

    mutating func duration(_ setting: ServeSetting) -> Duration {
        let text = text(setting)
        guard case .duration(let range) = setting.kind else { return .zero }
        guard let duration = Self.duration(text), range.contains(duration) else {
            refuse(setting, "“\(shown(setting))” is not a duration in \(setting.range), such as 90s")
            return Self.duration(setting.standard) ?? range.lowerBound
        }
        return duration
    }

    /// Returns an address to listen on; `nil` for “off”.
    mutating func address(_ setting: ServeSetting) -> ListenAddress? {
        let text = text(setting)
        if text.lowercased() == "off" { return nil }
        guard let address = ListenAddress(text) else {
            refuse(setting, "“\(shown(setting))” is not host:port, such as \(setting.standard)")
            return ListenAddress(setting.standard)
        }
        return address
    }

    /// Parses `10s`, `500ms`, `5m`, `12h`, `30d`; without a unit, seconds, as in imgproxy.
    static func duration(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let units: [String: Double] = ["ms": 1, "s": 1e3, "": 1e3, "m": 6e4, "h": 3.6e6, "d": 8.64e7]
        let unit = text.dropFirst(number.count).drop { $0 == " " }.lowercased()
        guard let value = Double(number), let factor = units[unit], value * factor < 1e15 else { return nil }
        return .milliseconds(Int((value * factor).rounded()))
    }

    private func shown(_ setting: ServeSetting) -> String {
        setting.isSecret ? "…" : holding.last { $0.setting == setting }?.text ?? ""
    }

    /// Returns the effective values of a setting, and records them on the first call.
    private mutating func values(_ setting: ServeSetting) -> [String] {
        var found = SettingLayers.Found(values: [setting.standard], origin: .standard)
        do {
            found = try layers.find(setting) ?? found
        } catch {
            // The types in a JSON file were validated before.
            let detail = "the type is not supported; use a string, a number or a list"
            let mistake = SettingMistake(name: setting.name, origin: "file", detail: detail)
            if !mistakes.contains(mistake) { mistakes.append(mistake) }
        }
        let isList = setting.kind == .list || setting.kind == .ranges
        var values = found.values
        if isList, !found.isList { values = found.values[0].split(separator: ",").map(Self.trimmed) }
        if isList { values = values.map { Self.trimmed($0[...]) } }
        let origin = found.origin
        let problem = origin == .standard ? nil : Self.problem(values, as: setting.kind)
        if problem != nil { values = isList ? Self.parts(setting.standard) : [setting.standard] }
        if !holding.contains(where: { $0.setting == setting }) {
            holding.append((setting, SafeText.line(values.joined(separator: ",")), origin))
            if let problem { refuse(setting, problem) }
        }
        return values
    }

    /// Returns the reason why no setting can have such values, or `nil` for valid ones.
    private static func problem(_ values: [String], as kind: ServeSetting.Kind) -> String? {
        if values.allSatisfy(\.isEmpty) { return "it is empty; remove it, or give it a value" }
        // JSON may have line breaks; its texts are validated one by one.
        guard kind != .origins else { return nil }
        return values.compactMap { SettingText.problem($0) }.first
    }

    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",").map(String.init)
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// A local address with a port.
struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    let host: String
    let port: Int

    /// Parses `127.0.0.1:8080`, `[::1]:8080`, `:8080` for every address, or a name with a port.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        let isPlain = host.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"/?#@[]".utf8.contains($0) }
        guard isPlain else { return nil }
        self.host = host.isEmpty || host == "*" ? "0.0.0.0" : String(host)
        self.port = Int(port)
    }

    init(host: String, port: Int) {
        (self.host, self.port) = (host, port)
    }

    /// Any port, reachable only from this machine.
    static let loopback = ListenAddress(host: "127.0.0.1", port: 0)

    /// Whether it is reachable only from this machine.
    var isLoopback: Bool {
        host.lowercased() == "localhost" || AddressRange.loopback.contains { $0.contains(host) }
    }

    var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
