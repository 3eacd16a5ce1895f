import Testing

@testable import CalotypeCLI

@Suite struct SafeTextTests {
    @Test func `text from outside cannot break the line or steer the terminal`() {
        #expect(SafeText.line("a\nb\r\u{1B}[31mc\u{202E}d") == "a\u{FFFD}b\u{FFFD}\u{FFFD}[31mc\u{FFFD}d")
        #expect(SafeText.line("ü 写真 🖼") == "ü 写真 🖼")
    }

    @Test func `long text loses its middle`() {
        #expect(SafeText.shortened("abcdefghij", to: 10) == "abcdefghij")
        #expect(SafeText.shortened("abcdefghijk", to: 10) == "abcde…hijk")
        let address = "data:image/png;base64," + String(repeating: "A", count: 1_000_000)
        #expect(SafeText.shortened(address).count == 120)
    }
}

@Suite struct CredentialTests {
    @Test(arguments: [
        ("http://user:secret@h/a@b.jpg", "http://***@h/a@b.jpg"), ("https://token@h/", "https://***@h/"),
        (
            "it was “socks5h://u:p%40@h:1”, not http://h/?q=a@b",
            "it was “socks5h://***@h:1”, not http://h/?q=a@b"
        ),
        ("http://h/a@b", "http://h/a@b"), ("a@b", "a@b"), ("ftp://a:b@c@d/", "ftp://***@d/"), ("", ""),
        ("http://h#a@b", "http://h#a@b"),
    ])
    func `user and password of a URL are left out`(text: String, expected: String) {
        #expect(SafeText.withoutCredentials(text) == expected)
    }
}
