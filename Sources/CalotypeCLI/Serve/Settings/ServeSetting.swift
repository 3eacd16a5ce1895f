/// A setting of the service: a flag, a variable of the environment and a member of a file, under one name.
struct ServeSetting: Hashable, Sendable {
    /// The type and the range of a value.
    enum Kind: Hashable, Sendable {
        case text
        case flag
        case count(ClosedRange<Int>)
        case bytes(ClosedRange<Int>)
        case duration(ClosedRange<Duration>)
        /// Several texts, separated by commas.
        case list
        /// A host and a port, or `off`.
        case address
        case choice([String])
        /// True, false, or addresses and address ranges, separated by commas.
        case ranges
        /// A JSON object of credentials by origin.
        case origins
    }

    /// The name: the flag without its dashes, and the key in the file.
    let name: String
    let kind: Kind
    /// The default; empty for none.
    let standard: String
    /// A noun clause of at most 80 characters, for the help.
    let summary: String
    /// Whether its value is never shown.
    let isSecret: Bool
    /// The equivalent variables of imgproxy.
    let imgproxy: [String]

    init(
        _ name: String,
        _ kind: Kind,
        _ standard: String = "",
        secret isSecret: Bool = false,
        imgproxy: [String] = [],
        _ summary: String
    ) {
        (self.name, self.kind, self.standard, self.summary) = (name, kind, standard, summary)
        (self.isSecret, self.imgproxy) = (isSecret, imgproxy.map { "IMGPROXY_" + $0 })
    }

    var flag: String { "--" + name }

    var variable: String {
        "CALOTYPE_" + name.uppercased().replacing("-", with: "_")
    }

    /// The allowed values, for the help.
    var range: String {
        switch kind {
        case .text: "text"
        case .flag: "true, false"
        case .count(let range): "\(range.lowerBound)…\(range.upperBound)"
        case .bytes(let range): "\(Self.bytes(range.lowerBound))…\(Self.bytes(range.upperBound))"
        case .duration(let range): "\(Self.time(range.lowerBound))…\(Self.time(range.upperBound))"
        case .list: "list"
        case .address: "host:port"
        case .choice(let words): words.joined(separator: ", ")
        case .ranges: "true, false, list of ranges"
        case .origins: "object of origins"
        }
    }

    /// Returns a byte count as settings write it, such as `64MB`.
    static func bytes(_ count: Int) -> String {
        for (unit, factor) in [
            ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000),
        ]
        where count >= factor && count.isMultiple(of: factor) {
            return "\(count / factor)\(unit)"
        }
        return "\(count)"
    }

    /// Returns a duration as settings write it, such as `10s`.
    static func time(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        guard attoseconds == 0 else {
            return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms"
        }
        for (unit, factor) in [("d", 86_400), ("h", 3600), ("m", 60)] as [(String, Int64)]
        where seconds >= factor && seconds.isMultiple(of: factor) {
            return "\(seconds / factor)\(unit)"
        }
        return "\(seconds)s"
    }
}
