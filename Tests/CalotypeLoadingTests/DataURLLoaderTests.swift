import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `Inline loads` {
    private func load(_ text: String, maxByteCount: Int = 1000) async throws -> (type: String?, text: String)
    {
        let url = try #require(URL(string: text))
        let request = FetchRequest(url: url, maxByteCount: maxByteCount)
        let response = try await DataURLLoader().response(for: request)
        #expect(response.origin == .inline)
        let data = try await response.collected()
        #expect(response.expectedByteCount == data.count)
        return (response.headers.first?.value, String(decoding: data, as: UTF8.self))
    }

    @Test(arguments: [
        ("data:,A%20brief%20note", "text/plain;charset=US-ASCII", "A brief note"),
        ("data:text/plain;charset=utf-8,gr%C3%BCn", "text/plain;charset=utf-8", "grün"),
        ("data:;charset=utf-8,x", "text/plain;charset=utf-8", "x"),
        ("data:image/png;base64,aGVsbG8=", "image/png", "hello"),
        ("DATA:image/png;BASE64,aGVsbG8=", "image/png", "hello"),
        ("data:image/png;base64,aGVsbG8", "image/png", "hello"),
        ("data:image/png;base64,aGVs%0AbG8%3D", "image/png", "hello"),
        ("data:image/png;base64,", "image/png", ""),
        ("data:,", "text/plain;charset=US-ASCII", ""),
        ("data:,a,b", "text/plain;charset=US-ASCII", "a,b"),
        ("data:,100%25", "text/plain;charset=US-ASCII", "100%"),
    ])
    func `type and bytes are separated`(url: String, type: String, text: String) async throws {
        let loaded = try await load(url)
        #expect(loaded.type == type)
        #expect(loaded.text == text)
    }

    @Test(arguments: [
        "data:image/png;base64", "data:image/png;base64,a", "data:image/png;base64,a$$b",
        "data:x;base64,a=b=",
    ])
    func `an unparsable data URL is invalid, and its content is not shown`(text: String) async throws {
        let error = await failure { try await load(text) }
        #expect(error?.code == .invalidURL)
        #expect(error?.detail.contains("$$") == false)
    }

    @Test(arguments: ["data:,12345678901", "data:;base64,MTIzNDU2Nzg5MDE="])
    func `more bytes than allowed are refused`(text: String) async throws {
        #expect(await failure { try await load(text, maxByteCount: 10) }?.code == .bodyTooLarge)
        #expect(try await load(text, maxByteCount: 11).text == "12345678901")
    }

    @Test func `every byte round-trips through both encodings`() async throws {
        let bytes = Data(0...255)
        let escaped = bytes.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        for text in ["data:a/b," + escaped, "data:a/b;base64," + bytes.base64EncodedString()] {
            let url = try #require(URL(string: text))
            #expect(try await DataURLLoader().data(url) == bytes)
        }
    }

    @Test func `another scheme is refused`() async throws {
        #expect(await failure { try await load("http://a.test/") }?.code == .unsupportedScheme)
    }
}

@Suite(.gated)
struct `Percent decoding` {
    @Test(arguments: [
        ("", ""), ("abc", "abc"), ("%41%62", "Ab"), ("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%%41", "%A"),
        ("%4%41", "%4A"), ("100%", "100%"), ("%e2%82%AC", "€"),
    ])
    func `escapes are decoded and other characters are unchanged`(encoded: String, decoded: String) {
        #expect(String(decoding: percentDecoded(encoded.utf8), as: UTF8.self) == decoded)
    }
}
