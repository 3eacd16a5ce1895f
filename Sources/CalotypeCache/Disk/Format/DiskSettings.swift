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
        expiry: Expiry = .days(7)
    ) {
        self.sizeLimit = sizeLimit
        self.countLimit = countLimit
        self.expiry = expiry
    }
}

/// A line of a `settings` file that makes no sense.
package struct SettingsDamage: Error, Hashable, Sendable {
    /// Counted from 1.
    package let lineNumber: Int
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
    ///
    /// - Parameter unknownLines: Lines of a later version, which are kept.
    /// - Returns: The whole file.
    package func text(keeping unknownLines: [String] = []) -> String {
        var lines = [Self.header]
        if let sizeLimit { lines.append("sizeLimit \(sizeLimit)") }
        if let countLimit { lines.append("countLimit \(countLimit)") }
        switch expiry {
        case .afterWrite(let duration): lines.append("expiry afterWrite \(duration.clampedNanoseconds) ns")
        case .afterAccess(let duration): lines.append("expiry afterAccess \(duration.clampedNanoseconds) ns")
        case .never: lines.append("expiry never")
        }
        return (lines + unknownLines).joined(separator: "\n") + "\n"
    }

    /// The lines of a `settings` file with names that this version does not know.
    static func unknownLines(in text: String) -> [String] {
        text.split(separator: "\n").dropFirst().filter { line in
            !["sizeLimit", "countLimit", "expiry"].contains(words(of: line).first)
        }.map(String.init)
    }

    /// Reads the text of a `settings` file; lines with unknown names are left out, for versions to come.
    ///
    /// - Parameter text: The whole file.
    /// - Throws: The first line that makes no sense; the first of all where it is not our header.
    package init(text: String) throws(SettingsDamage) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines[0] == Self.header else { throw SettingsDamage(lineNumber: 1) }
        self.init()
        for (index, line) in lines.enumerated().dropFirst() {
            guard take(Self.words(of: line)) else {
                throw SettingsDamage(lineNumber: index + 1)
            }
        }
    }

    /// Takes a line's words in; returns whether they make sense.
    private mutating func take(_ words: [String]) -> Bool {
        switch words.first {
        case "sizeLimit":
            sizeLimit = Self.limit(words)
            return sizeLimit != nil
        case "countLimit":
            countLimit = Self.limit(words)
            return countLimit != nil
        case "expiry":
            guard let expiry = Expiry(words: Array(words.dropFirst())) else { return false }
            self.expiry = expiry
            return true
        default: return true
        }
    }

    private static func words(of line: Substring) -> [String] {
        line.split(separator: " ").map(String.init)
    }

    private static func limit(_ words: [String]) -> Int? {
        guard words.count == 2, let limit = Int(words[1]), limit >= 0 else { return nil }
        return limit
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
