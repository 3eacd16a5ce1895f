/// One thing that can be set of a service: by a flag, by the environment and in a file, under one name.
struct ServeSetting: Hashable, Sendable {
    /// What values there are.
    enum Kind: Hashable, Sendable {
        case text
        case flag
        case count(ClosedRange<Int>)
        case bytes(ClosedRange<Int>)
        case duration(ClosedRange<Duration>)
        /// Several, with commas between them.
        case list
        /// A host and a port; `off` for none.
        case address
        case choice([String])
        /// True, false, or addresses and ranges of them with commas between them.
        case ranges
    }

    /// The name, as the flag has it without its dashes, and the file as its key.
    let name: String
    let kind: Kind
    /// What holds where nobody says anything; empty for nothing.
    let standard: String
    /// What it is, on one line.
    let summary: String
    /// Whether its value is never shown.
    let isSecret: Bool
    /// The variables of imgproxy that mean the same.
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

    /// The flag.
    var flag: String { "--" + name }

    /// The variable of the environment.
    var variable: String {
        "CALOTYPE_" + name.uppercased().replacing("-", with: "_")
    }

    /// The values that there are, for people.
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
        }
    }

    /// A number of bytes as settings write them, such as `64MB`.
    static func bytes(_ count: Int) -> String {
        for (unit, factor) in [
            ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000),
        ]
        where count >= factor && count.isMultiple(of: factor) {
            return "\(count / factor)\(unit)"
        }
        return "\(count)"
    }

    /// A time as settings write it, such as `10s`.
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
