/// Text that is taken apart by its bytes: finding letters is slow, and a mark behind a separator would make
/// another letter of it.
extension StringProtocol where SubSequence == Substring {
    /// The text before the first of a byte; all of it where there is none.
    func prefix(before byte: UInt8) -> Substring {
        self[..<(utf8.firstIndex(of: byte) ?? endIndex)]
    }

    /// The parts between all of a byte, empty ones too.
    func parts(between byte: UInt8) -> [Substring] {
        utf8.split(separator: byte, omittingEmptySubsequences: false)
            .map { self[$0.startIndex..<$0.endIndex] }
    }

    /// The place of the first bytes that are those of a short word.
    func firstRange(ofBytes word: String) -> Range<String.Index>? {
        let word = Array(word.utf8)
        guard let offset = Array(utf8).firstIndex(of: word, from: 0) else { return nil }
        let start = utf8.index(startIndex, offsetBy: offset)
        return start..<utf8.index(start, offsetBy: word.count)
    }

    /// The parts between all of a short word, empty ones too.
    func parts(betweenBytes word: String) -> [Substring] {
        let (bytes, word) = (Array(utf8), Array(word.utf8))
        var (parts, start, place) = ([Substring](), startIndex, 0)
        while let next = bytes.firstIndex(of: word, from: place) {
            let end = utf8.index(start, offsetBy: next - place)
            parts.append(self[start..<end])
            start = utf8.index(end, offsetBy: word.count)
            place = next + word.count
        }
        return parts + [self[start...]]
    }
}

extension [UInt8] {
    /// The first place, from one on, at which a short word stands.
    func firstIndex(of word: [UInt8], from start: Int) -> Int? {
        guard let first = word.first, count >= word.count else { return nil }
        var place = start
        let end = count - word.count
        while place <= end {
            if self[place] == first, has(word, at: place) { return place }
            place += 1
        }
        return nil
    }

    /// Whether a word stands at a place that leaves room for it.
    func has(_ word: [UInt8], at place: Int) -> Bool {
        for offset in word.indices where self[place + offset] != word[offset] { return false }
        return true
    }
}
