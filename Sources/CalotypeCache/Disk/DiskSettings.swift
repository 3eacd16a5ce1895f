/// The rules a cache directory keeps for itself, so that every program that opens it follows the same.
///
/// Written into the directory by whoever opens it with settings of its own; whoever opens it without uses
/// them.
public struct DiskSettings: Hashable, Sendable {
    /// The most bytes of payloads and records; `nil`, the default, for a tenth of the space that is free when
    /// the cache is opened, 64 MiB at least and 1 GiB at most, and never less than what is there then.
    public var sizeLimit: Int?
    /// The most entries; `nil`, the default, for any number.
    public var countLimit: Int?
    /// When entries without an expiry of their own stop being served; 7 days after they were written by
    /// default.
    public var expiry: Expiry

    /// Creates settings; each default is stated at its property.
    public init(
        sizeLimit: Int? = nil,
        countLimit: Int? = nil,
        expiry: Expiry = .afterWrite(.seconds(604_800))
    ) {
        self.sizeLimit = sizeLimit
        self.countLimit = countLimit
        self.expiry = expiry
    }
}

extension DiskSettings {
    /// What is wrong with them; `nil` for nothing.
    var problem: String? {
        if let sizeLimit, sizeLimit < 0 { return "sizeLimit must not be negative" }
        if let countLimit, countLimit < 0 { return "countLimit must not be negative" }
        return nil
    }

    static let header = "calotype-settings 1"

    /// The text of the `settings` file: a header, then one name and value a line.
    package var text: String {
        var lines = [Self.header]
        if let sizeLimit { lines.append("sizeLimit \(sizeLimit)") }
        if let countLimit { lines.append("countLimit \(countLimit)") }
        switch expiry {
        case .afterWrite(let duration): lines.append("expiry afterWrite \(duration.clampedNanoseconds) ns")
        case .afterAccess(let duration): lines.append("expiry afterAccess \(duration.clampedNanoseconds) ns")
        case .never: lines.append("expiry never")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Reads the text of a `settings` file; lines with unknown names are left out, for versions to come.
    ///
    /// Returns `nil` for anything without our header or with a value that makes no sense.
    package init?(text: String) {
        let lines = text.split(separator: "\n")
        guard lines.first.map(String.init) == Self.header else { return nil }
        self.init()
        for line in lines.dropFirst() {
            let words = line.split(separator: " ").map(String.init)
            switch (words.first, words.count) {
            case ("sizeLimit", 2):
                guard let limit = Int(words[1]), limit >= 0 else { return nil }
                sizeLimit = limit
            case ("countLimit", 2):
                guard let limit = Int(words[1]), limit >= 0 else { return nil }
                countLimit = limit
            case ("expiry", _):
                guard let expiry = Expiry(words: Array(words.dropFirst())) else { return nil }
                self.expiry = expiry
            default: continue
            }
        }
    }
}

extension Expiry {
    fileprivate init?(words: [String]) {
        if words == ["never"] {
            self = .never
            return
        }
        guard words.count == 3, words[2] == "ns", let nanoseconds = Int64(words[1]) else { return nil }
        switch words[0] {
        case "afterWrite": self = .afterWrite(.nanoseconds(nanoseconds))
        case "afterAccess": self = .afterAccess(.nanoseconds(nanoseconds))
        default: return nil
        }
    }
}
