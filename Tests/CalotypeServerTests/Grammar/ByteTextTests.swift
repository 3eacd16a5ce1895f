import TestSupport
import Testing

@testable import CalotypeServer

/// Splitting of texts at bytes.
@Suite(.gated) struct ByteTextTests {
    @Test(arguments: [
        ("", [""]), ("/", ["", ""]), ("a/b//c", ["a", "b", "", "c"]), ("é/\u{301}b", ["é", "\u{301}b"]),
    ])
    func `splitting at a byte returns all parts, empty ones too`(text: String, parts: [String]) {
        #expect(text.parts(between: UInt8(ascii: "/")).map(String.init) == parts)
        #expect(text.parts(betweenBytes: "/").map(String.init) == parts)
        #expect(text.dropFirst(0).parts(betweenBytes: "/").joined(separator: "/") == text)
    }

    @Test(
        arguments: [
            ("", nil), ("%3", nil), ("%3A", 0), ("a%3%3A", 3), ("éé%3A%3A", 4), ("%%3A", 1), ("%3a", nil),
        ] as [(String, Int?)]
    )
    func `a word is found at its first occurrence`(text: String, offset: Int?) {
        let range = text.firstRange(ofBytes: "%3A")
        #expect(range.map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) } == offset)
        if let range { #expect(text[range] == "%3A") }
    }

    @Test func `the prefix before an absent byte is the whole text`() {
        #expect("a?b?c".prefix(before: UInt8(ascii: "?")) == "a")
        #expect("abc".prefix(before: UInt8(ascii: "?")) == "abc")
        #expect("?\u{301}".prefix(before: UInt8(ascii: "?")).isEmpty)
    }

    @Test(arguments: [("a=b=c", "b=c"), ("a=", ""), ("a", ""), ("", ""), ("a=\u{301}b", "\u{301}b")])
    func `the text behind a separator begins with a mark that combines with it`(text: String, rest: String) {
        let dropped = text.dropping(text.prefix(before: UInt8(ascii: "=")))
        #expect(dropped.utf8.elementsEqual(rest.utf8))
    }

    @Test(arguments: [
        "", "aA", "aGk", "aGk=", "aHR0cDovLw", "_-8", "aHR0\u{E9}", "a", "aaaaa", "a+b/", "a=b",
    ])
    func `base64 decodes to its bytes, or to nil`(text: String) {
        let bytes = URLText.base64Decoded(text, toleratesPadding: true)
        let isNone = ["aHR0\u{E9}", "a", "aaaaa", "a+b/", "a=b"].contains(text)
        #expect((bytes == nil) == isNone)
        if let bytes {
            let digits = URLText.base64(bytes, isPadded: false)
            #expect(
                digits.prefix(2) == text.prefix(2)
                    && digits.utf8.count == text.utf8.count(where: { $0 != 61 })
            )
        }
    }
}
