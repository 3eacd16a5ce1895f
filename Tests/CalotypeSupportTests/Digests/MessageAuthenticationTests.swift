import CalotypeSupport
import TestSupport
import Testing

@Suite(.gated) struct MessageAuthenticationTests {
    private static let text = Array("what do ya want for nothing?".utf8)
    private static let key = Array("Jefe".utf8)

    @Test func `codes match the test vectors of the standards`() {
        // RFC 2202 test case 2 and RFC 4231 test case 2.
        let sha1 = MessageAuthentication.code(of: Self.text, key: Self.key, .sha1)
        #expect(sha1?.hexadecimalDigits == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        let sha256 = MessageAuthentication.code(of: Self.text, key: Self.key, .sha256)
        #expect(
            sha256?.hexadecimalDigits == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
    }

    @Test func `keys and messages may be empty, and keys may exceed a block`() {
        let empty = MessageAuthentication.code(of: [], key: [], .sha256)
        #expect(
            empty?.hexadecimalDigits == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
        )
        // RFC 4231 test case 6.
        let long = Array(repeating: UInt8(0xAA), count: 131)
        let message = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            MessageAuthentication.code(of: message, key: long, .sha256)?.hexadecimalDigits
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        )
    }

    @Test(
        arguments: [
            ([], [], true), ([1, 2], [1, 2], true), ([1, 2], [1, 3], false), ([1], [1, 2], false),
            ([], [1], false),
        ] as [([UInt8], [UInt8], Bool)]
    )
    func `codes are equal if every byte is equal`(left: [UInt8], right: [UInt8], isEqual: Bool) {
        #expect(MessageAuthentication.areEqual(left, right) == isEqual)
    }
}
