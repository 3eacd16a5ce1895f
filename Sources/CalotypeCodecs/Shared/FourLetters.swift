/// The type of a part of a file, as four letters.
protocol FourLetters: Hashable {
    init(rawValue: UInt32)
}

extension FourLetters {
    init(_ letters: String) {
        self.init(rawValue: letters.utf8.reduce(0) { $0 << 8 | UInt32($1) })
    }
}
