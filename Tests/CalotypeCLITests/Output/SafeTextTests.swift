import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct SafeTextTests {
    @Test func `text from outside cannot break the line or steer the terminal`() {
        #expect(SafeText.line("a\nb\r\u{1B}[31mc\u{202E}d") == "a\u{FFFD}b\u{FFFD}\u{FFFD}[31mc\u{FFFD}d")
        #expect(SafeText.line("ü 写真 🖼") == "ü 写真 🖼")
    }

    @Test func `long text is shortened in the middle`() {
        #expect(SafeText.shortened("abcdefghij", to: 10) == "abcdefghij")
        #expect(SafeText.shortened("abcdefghijk", to: 10) == "abcde…hijk")
        let address = "data:image/png;base64," + String(repeating: "A", count: 1_000_000)
        #expect(SafeText.shortened(address).count == 120)
    }
}

@Suite(.gated) struct CredentialTests {
    @Test(arguments: [
        ("http://u:se cret@h/x", "http://***@h/x"), ("http://u:“secret”@h/x", "http://***@h/x"),
        ("http://u:a@h/x http://u:b@h/y", "http://***@h/x http://***@h/y"), ("a b@c", "a b@c"),
    ])
    func `an address is read as a whole`(address: String, expected: String) {
        #expect(Credentials.hidden(inAddress: address) == expected)
    }

    @Test func `a password is removed before the text is shortened`() {
        let text =
            "http://u:\(String(repeating: "secret", count: 50))@h/\(String(repeating: "x", count: 200))"
        #expect(SafeText.shortened(text).hasPrefix("http://***@h/xxx"))
    }

    @Test(arguments: [
        ("http://user:secret@h/a@b.jpg", "http://***@h/a@b.jpg"), ("https://token@h/", "https://***@h/"),
        (
            "it was “socks5h://u:p%40@h:1”, not http://h/?q=a@b",
            "it was “socks5h://***@h:1”, not http://h/?q=a@b"
        ),
        ("http://h/a@b", "http://h/a@b"), ("a@b", "a@b"), ("ftp://a:b@c@d/", "ftp://***@d/"), ("", ""),
        ("http://h#a@b", "http://h#a@b"), ("u:secret@h/x", "***@h/x"), ("//u:secret@h/x", "//***@h/x"),
        ("http:u:secret@h/x", "http:***@h/x"), ("http:/u:secret@h/x", "http:/***@h/x"),
        ("http://u:se/cret@h/x", "http://***@h/x"), ("http://h:80/a@b", "http://h:80/a@b"),
        ("http://[::1]:80/a@b", "http://[::1]:80/a@b"), ("http://h/a:b@c", "http://h/a:b@c"),
        ("a.jpg: cannot write icon@2x.png", "a.jpg: cannot write icon@2x.png"),
        ("data:image/png;base64,a@b", "data:image/png;base64,a@b"),
        ("ab:dir/icon@2x.png", "ab:dir/icon@2x.png"),
        ("file:///a/b@2x.png", "file:///a/b@2x.png"), ("http:///a@b", "http:///a@b"), ("://@", "://***@"),
        ("http://a:b@c,http://d:e@f/", "http://***@c,http://***@f/"), ("x:@", "***@"), ("@", "@"),
        (":@", "***@"),
    ])
    func `users and passwords are removed`(text: String, expected: String) {
        #expect(SafeText.withoutCredentials(text) == expected)
    }
}
