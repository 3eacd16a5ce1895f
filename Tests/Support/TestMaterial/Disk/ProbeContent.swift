import CalotypeTesting
package import FoundationEssentials

/// Bytes that contain their key and version, so that any reader can verify them.
package enum ProbeContent {
    /// Returns the bytes of a version of a key; 16 to about 3,000 bytes.
    package static func bytes(key: Int, version: UInt64) -> Data {
        var generator = SeededGenerator(seed: version &* 1_000_003 &+ UInt64(key))
        let wordCount = Int.random(in: 0..<370, using: &generator)
        var data = Data(capacity: 16 + wordCount * 8)
        for word in [UInt64(key), version] + (0..<wordCount).map({ _ in generator.next() }) {
            withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) }
        }
        return data
    }

    /// Returns the version of bytes; `nil` if they are not exactly those created for the key.
    package static func version(of data: Data, key: Int) -> UInt64? {
        guard data.count >= 16 else { return nil }
        let version = data.dropFirst(8).prefix(8).reversed().reduce(UInt64(0)) { ($0 << 8) | UInt64($1) }
        return data == bytes(key: key, version: version) ? version : nil
    }
}
