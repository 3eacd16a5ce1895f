import CalotypeSupport
import TestSupport
import Testing

@Suite(.gated) struct MessageDigestTests {
    @Test(
        arguments: [
            // The examples that NIST publishes for FIPS 180-4.
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
    )
    func `SHA-256 matches FIPS 180-4`(text: String, digest: String) {
        #expect(MessageDigest.sha256(text).hexadecimalDigits == digest)
    }

    @Test func `chunks give the digest of the whole`() {
        var digest = MessageDigest.sha256()
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
        for _ in 0..<1000 { digest.update(piece.span) }
        let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(digest.finalize().hexadecimalDigits == million)
    }

    @Test(
        arguments: [
            // RFC 1321, A.5.
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ]
    )
    func `MD5 matches RFC 1321`(text: String, expected: String) throws {
        var md5 = MessageDigest(.md5)
        md5?.update(text.utf8.span)
        #expect(md5?.finalize().hexadecimalDigits == expected)
    }

    @Test func `all threads can compute digests concurrently`() async {
        let digests = await withTaskGroup(of: [UInt8].self) { group in
            for number in 0..<400 { group.addTask { MessageDigest.sha256("\(number % 4)") } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(digests.count == 4)
    }
}
