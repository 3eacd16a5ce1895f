/// A search for names similar to a typed text.
enum SimilarNames {
    /// The maximum number of different characters: a wrong one counts as one missing and one too many.
    private static let maxDifference = 3
    /// Longer texts are not misspellings; the comparison time grows with the length.
    private static let maxLength = 40
    private static let maxCount = 3

    /// Returns the names that are similar to a text or begin with it, the nearest first; at most three.
    static func of(_ text: String, among names: [String]) -> [String] {
        let typed = Array(text.prefix(maxLength + 1).lowercased())
        guard !typed.isEmpty, typed.count <= maxLength else { return [] }
        let near = names.compactMap { name -> (name: String, difference: Int)? in
            let difference = Array(name.lowercased()).difference(from: typed).count
            // A short text would be near to everything.
            let isNear = difference <= min(maxDifference, typed.count - 1) || name.hasPrefix(text)
            return isNear ? (name, difference) : nil
        }
        return near.sorted { $0.difference < $1.difference }.prefix(maxCount).map(\.name)
    }
}
