/// A step split into parts: `name`, `name:value` or `name:key=value,key=value`.
///
/// A comma is part of a value unless `key=` follows it: `crop:rect=10,10,200,100` has one argument.
struct StepText: Hashable, Sendable {
    /// A value with its key; the first argument may have no key.
    struct Argument: Hashable, Sendable {
        let key: String?
        var value: String
    }

    /// The maximum bytes of a step: enough for a path, which Linux limits to 4,096 bytes, and more.
    static let maxByteCount = 8192

    let name: String
    private(set) var arguments: [Argument] = []

    /// Splits a text.
    ///
    /// - Throws: ``StepError`` if the text is too long, or a key is given twice.
    init(_ text: String) throws(StepError) {
        let byteCount = text.utf8.count
        guard byteCount <= Self.maxByteCount else {
            throw StepError(.tooLong, "a step may have \(Self.maxByteCount) bytes, this one has \(byteCount)")
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(parts[0])
        guard parts.count == 2 else { return }
        for piece in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
            try add(piece)
        }
    }

    /// Adds the text between two commas: an argument, or more of the value before it.
    private mutating func add(_ piece: Substring) throws(StepError) {
        let key = piece.prefix { $0.isASCII && $0.isLetter }
        let rest = piece[key.endIndex...]
        if !key.isEmpty, rest.first == "=" {
            guard !arguments.contains(where: { $0.key == String(key) }) else {
                throw StepError(.repeatedKey, "\(StepError.quoted(String(key))) is given twice")
            }
            arguments.append(Argument(key: String(key), value: String(rest.dropFirst())))
        } else if arguments.isEmpty {
            arguments.append(Argument(key: nil, value: String(piece)))
        } else {
            arguments[arguments.count - 1].value += "," + piece
        }
    }
}
