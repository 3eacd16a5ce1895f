import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `The head of an answer` {
    private func head(_ text: String) throws -> HTTPResponseHeader {
        try HTTPResponseHeader(lines: Data(text.utf8))
    }

    @Test func `status and fields are parsed in order, with blanks trimmed from values`() throws {
        let head = try head("HTTP/1.1 200 OK\r\nB:  two words \r\nA:\r\nb: x\ty\r\n\r\n")
        #expect(head.status == 200)
        let fields = [HeaderField("B", "two words"), HeaderField("A", ""), HeaderField("b", "x\ty")]
        #expect(head.fields == fields)
    }

    @Test(arguments: ["HTTP/2 204 \r\n\r\n", "HTTP/1.0 204\r\n\r\n", "HTTP/1.1 204 No\r\n\r\n"])
    func `every form of a status line is parsed`(text: String) throws {
        #expect(try head(text).status == 204)
    }

    @Test func `a folded line continues the value before it`() throws {
        let head = try head("HTTP/1.1 200 OK\r\nA: one\r\n  two\r\n\tthree\r\n\r\n")
        #expect(head.fields == [HeaderField("A", "one two three")])
    }

    @Test func `non-UTF-8 bytes do not stop the parser`() throws {
        let bytes = Data("HTTP/1.1 200 OK\r\nA: ".utf8) + Data([0xFF, 0xFE]) + Data("\r\nB: c\r\n\r\n".utf8)
        #expect(try HTTPResponseHeader(lines: bytes).value(of: "b") == "c")
    }

    @Test(arguments: [
        "", "HTTP/1.1\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: v\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", "HTTP/1.1 200 OK\r\n first: folded\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\ncontent-length: 6\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
    ])
    func `an ambiguous header is refused`(text: String) {
        #expect(throws: FetchError.self) { try head(text) }
    }

    @Test func `the same length twice counts as one length`() throws {
        #expect(
            try head("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n").contentByteCount
                == 5
        )
    }
}
