/// Byte-wise splitting of text: character-wise search is slow, and a combining mark after a separator would
/// form another character.
extension StringProtocol where SubSequence == Substring {
    /// Returns the text before the first occurrence of a byte, or all of it.
    func prefix(before byte: UInt8) -> Substring {
        self[..<(utf8.firstIndex(of: byte) ?? endIndex)]
    }

    /// Returns the parts between all occurrences of a byte, including empty ones.
    func parts(between byte: UInt8) -> [Substring] {
        utf8.split(separator: byte, omittingEmptySubsequences: false)
            .map { self[$0.startIndex..<$0.endIndex] }
    }

    /// Returns the range of the first occurrence of a short ASCII word, compared by bytes.
    func firstRange(ofBytes word: String) -> Range<String.Index>? {
        let word = Array(word.utf8)
        guard let offset = Array(utf8).firstIndex(of: word, from: 0) else { return nil }
        let start = utf8.index(startIndex, offsetBy: offset)
        return start..<utf8.index(start, offsetBy: word.count)
    }

    /// Returns the parts between all occurrences of a short word, including empty ones.
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
    /// Returns the first index, from a start on, at which a short word occurs.
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

    /// Whether a word occurs at an index; the index must leave room for it.
    func has(_ word: [UInt8], at place: Int) -> Bool {
        for offset in word.indices where self[place + offset] != word[offset] { return false }
        return true
    }
}
