/// The range of bytes in a 206 response: `bytes 5-9/10` (RFC 9110 §14.4).
struct ContentRange: Hashable {
    /// The offset of the first byte.
    let start: Int
    /// The length of the whole representation in bytes, or `nil` if the origin does not know it.
    let totalByteCount: Int?

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard halves.count == 2, ends.count == 2, let first = byteCount(ends[0]),
            let last = byteCount(ends[1]),
            first <= last
        else { return nil }
        start = first
        if halves[1] == "*" {
            totalByteCount = nil
        } else {
            guard let total = byteCount(halves[1]), last < total else { return nil }
            totalByteCount = total
        }
    }
}

/// Parses digits only; returns `nil` on overflow too.
private func byteCount(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
}
