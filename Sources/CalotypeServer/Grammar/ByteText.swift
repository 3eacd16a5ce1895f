extension StringProtocol {
    /// The bytes, copied at once: an array of a view copies them one by one.
    var bytes: [UInt8] { utf8.withContiguousStorageIfAvailable { Array($0) } ?? Array(utf8) }
}

/// Byte-wise splitting of text: character-wise search is slow, and a combining mark after a separator would
/// form another character.
extension StringProtocol where SubSequence == Substring {
    /// Returns the text before the first occurrence of a byte, or all of it.
    func prefix(before byte: UInt8) -> Substring {
        // Views of texts are searched ten times as slowly as their storage.
        let found = utf8.withContiguousStorageIfAvailable { $0.firstIndex(of: byte) }
        guard let found else { return self[..<(utf8.firstIndex(of: byte) ?? endIndex)] }
        return self[..<(found.map { utf8.index(startIndex, offsetBy: $0) } ?? endIndex)]
    }

    /// Returns the text behind a prefix and the byte that ends it; empty if the prefix is the whole text.
    ///
    /// A combining mark behind that byte is part of the text.
    func dropping(_ prefix: Substring) -> Substring {
        guard prefix.endIndex < endIndex else { return self[endIndex...] }
        return self[utf8.index(after: prefix.endIndex)...]
    }

    /// Returns the parts between occurrences of a byte, including empty ones.
    ///
    /// - Parameters:
    ///   - byte: The separator.
    ///   - maxCount: The maximum number of parts; the last one is then the rest of the text.
    /// - Returns: The parts, at least one.
    func parts(between byte: UInt8, atMost maxCount: Int = .max) -> [Substring] {
        var (parts, rest) = ([Substring](), self[...])
        while parts.count < maxCount - 1, case let part = rest.prefix(before: byte),
            part.endIndex < rest.endIndex
        {
            parts.append(part)
            rest = rest[rest.utf8.index(after: part.endIndex)...]
        }
        return parts + [rest]
    }

    /// Returns the range of the first occurrence of a short ASCII word, compared by bytes.
    func firstRange(ofBytes word: String) -> Range<String.Index>? {
        let word = Array(word.utf8)
        guard let offset = bytes.firstIndex(of: word, from: 0) else { return nil }
        let start = utf8.index(startIndex, offsetBy: offset)
        return start..<utf8.index(start, offsetBy: word.count)
    }

    /// Returns the parts between all occurrences of a short word, including empty ones.
    func parts(betweenBytes word: String) -> [Substring] {
        let (bytes, word) = (bytes, Array(word.utf8))
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
