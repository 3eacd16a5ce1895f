package import FoundationEssentials

/// Bytes that say which key and which version they are of, so that anybody can tell right ones from wrong
/// ones.
package enum ProbeContent {
    /// The bytes of a version of a key; 16 to about 3,000 of them.
    package static func bytes(key: Int, version: UInt64) -> Data {
        var generator = SeededGenerator(seed: version &* 1_000_003 &+ UInt64(key))
        let wordCount = Int.random(in: 0..<370, using: &generator)
        var data = Data(capacity: 16 + wordCount * 8)
        for word in [UInt64(key), version] + (0..<wordCount).map({ _ in generator.next() }) {
            withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) }
        }
        return data
    }

    /// The version that bytes are of; `nil` where they are not exactly what was made for the key.
    package static func version(of data: Data, key: Int) -> UInt64? {
        guard data.count >= 16 else { return nil }
        let version = data.dropFirst(8).prefix(8).reversed().reduce(UInt64(0)) { ($0 << 8) | UInt64($1) }
        return data == bytes(key: key, version: version) ? version : nil
    }
}
