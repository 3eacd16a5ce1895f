/// The rules stored in a cache directory, so that every program that opens it follows the same.
///
/// Opening a directory with settings writes them into it; opening it without settings uses those stored.
public struct DiskSettings: Hashable, Sendable {
    /// The most bytes of payloads and records.
    ///
    /// `nil`, the default, means a tenth of the space that is free when the cache is opened, at least 64 MiB,
    /// at most 1 GiB, and never less than its current size.
    public var sizeLimit: Int?
    /// The most entries; `nil`, the default, for no limit.
    public var countLimit: Int?
    /// The expiry of entries without their own; 7 days after they were written by default.
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

/// The error of an invalid line in a `settings` file.
package struct SettingsDamage: Error, Hashable, Sendable {
    /// The number of the line, from 1.
    package let lineNumber: Int
}

extension DiskSettings {
    /// The reason why the settings are invalid; `nil` if they are valid.
    var problem: String? {
        if let sizeLimit, sizeLimit < 0 { return "sizeLimit: must not be negative" }
        if let countLimit, countLimit < 0 { return "countLimit: must not be negative" }
        return nil
    }

    static let header = "calotype-settings 1"

    /// Returns the text of the `settings` file: a header, then one name and value per line.
    ///
    /// - Parameter unknownLines: Lines of a later version, which are preserved.
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

    /// Returns the lines of a `settings` file whose names this version does not know.
    static func unknownLines(in text: String) -> [String] {
        text.split(separator: "\n").dropFirst().filter { line in
            !["sizeLimit", "countLimit", "expiry"].contains(words(of: line).first)
        }.map(String.init)
    }

    /// Parses the text of a `settings` file; lines with unknown names, from later versions, are ignored.
    ///
    /// - Parameter text: The whole file.
    /// - Throws: The first invalid line; line 1 if the header is wrong.
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

    /// Applies the words of a line; returns whether they are valid.
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
