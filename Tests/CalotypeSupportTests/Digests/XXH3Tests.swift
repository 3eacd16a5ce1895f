import CalotypeSupport
import TestSupport
import Testing

@Suite(.gated) struct XXH3Tests {
    @Test(
        arguments: [
            // The reference vectors of xxHash's own specification for seed 0.
            ("", 0x2D06_8005_38D3_94C2),
            ("a", 0xE6C6_32B6_1E96_4E1F),
            ("abc", 0x78AF_5F94_892F_3950),
        ] as [(String, UInt64)]
    )
    func `the hash matches the specification of XXH3`(text: String, hash: UInt64) {
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBytes { unsafe xxh3($0) } == hash)
    }
}
