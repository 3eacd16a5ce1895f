/// Finds what a person may have meant.
enum NearNames {
    /// As many characters may differ: one that is wrong counts as one missing and one too many.
    private static let differenceMax = 3
    /// What is longer is no slip of the hand; comparing takes time that grows with the length.
    private static let lengthMax = 40
    private static let countMax = 3

    /// The names that are like a text or begin with it, the nearest first; at most three.
    static func of(_ text: String, among names: [String]) -> [String] {
        let typed = Array(text.prefix(lengthMax + 1).lowercased())
        guard !typed.isEmpty, typed.count <= lengthMax else { return [] }
        let near = names.compactMap { name -> (name: String, difference: Int)? in
            let difference = Array(name.lowercased()).difference(from: typed).count
            // Of a short text, everything would be near.
            let isNear = difference <= min(differenceMax, typed.count - 1) || name.hasPrefix(text)
            return isNear ? (name, difference) : nil
        }
        return near.sorted { $0.difference < $1.difference }.prefix(countMax).map(\.name)
    }
}
