import CalotypeCore
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct ArgumentTests {
    @Test(arguments: [
        ("0", 0), ("20000", 20_000), ("20kB", 20_000), ("20k", 20_000), ("1.5MB", 1_500_000),
        ("64KiB", 65_536), ("2 G", 2_000_000_000), ("1TB", 1_000_000_000_000), ("512b", 512),
    ])
    func `a byte count has an optional unit`(text: String, count: Int) {
        #expect(ByteCountArgument(argument: text)?.count == count)
    }

    @Test(arguments: ["", "kB", "-1", "20xB", "1e9", "99999999TB", "1.2.3k", "٣"])
    func `parsing an invalid byte count returns nil`(text: String) {
        #expect(ByteCountArgument(argument: text) == nil)
    }

    @Test(arguments: [("90s", 90), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000), ("7", 604_800)])
    func `an age has a unit, and is in days without one`(text: String, seconds: Int) {
        #expect(AgeArgument(argument: text)?.duration == .seconds(seconds))
    }

    @Test(arguments: ["", "d", "-1d", "1y", "99999999999d"])
    func `parsing an invalid age returns nil`(text: String) {
        #expect(AgeArgument(argument: text) == nil)
    }

    @Test func `formats that can only be read are not offered for writing`() {
        #expect(!FormatName.allValueStrings.contains("svg") && FormatName.allValueStrings.contains("ico"))
        #expect(FormatName(argument: "svg") == nil && FormatName(extensionOf: "a.svg") == nil)
        #expect(FormatName(extensionOf: "a.ico")?.format == .ico && FormatName.own(.ico) == nil)
        #expect(FormatName(argument: "JPG")?.format == .jpeg)
        #expect(FormatName(extensionOf: "b/a.tif")?.format == .tiff)
    }

    @Test(arguments: [
        ("www.example.org/cat.jpg", true), ("localhost:8080/a.png", true), ("127.0.0.1/a.gif", true),
        ("cat.jpg", false), ("folder/cat.jpg", false), ("../cat.jpg", false), ("./a.b/c.png", false),
    ])
    func `an address without its scheme gets a hint`(address: String, hasHint: Bool) {
        #expect((AddressList.hint(for: address) != nil) == hasHint)
    }

    @Test func `a list has an address a line, and remarks`() {
        let text = "# pictures\n\nhttps://a/1.png\r\n  b c.png  \n#x\nlast"
        #expect(AddressList.lines(of: Data(text.utf8)) == ["https://a/1.png", "b c.png", "last"])
    }

    @Test(arguments: [
        ("https://h/*", "https://h/a.png#fit=2x", true), ("https://h/*", "https://g/a.png", false),
        ("*.png", "https://h/a.png", true), ("*.png", "https://h/a.png#x", false),
        ("https://*/b/*.png", "https://h/b/c/d.png", true), ("a*a", "a", false), ("a*a", "aa", true),
        ("**", "anything", true), ("a*b*c", "a-b-b-c", true), ("a*b*c", "a-c-b", false),
    ])
    func `a star matches any text`(pattern: String, key: String, isPicked: Bool) {
        #expect(KeyRule(pattern: pattern).picks(key) == isPicked)
    }

    @Test func `a source matches its original and its variants, not other URLs with its prefix`() {
        let rule = KeyRule.source("https://h/a.png")
        #expect(rule.picks("https://h/a.png") && rule.picks("https://h/a.png#fit=2x"))
        #expect(!rule.picks("https://h/a.png?x") && !rule.picks("https://h/a.pngs"))
    }

    @Test(arguments: [
        (["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": "1"], false), (["TERM": "dumb"], false),
        (["TERM": "xterm", "NO_COLOR": ""], true),
    ])
    func `colours require a terminal that supports them`(environment: [String: String], hasColor: Bool) {
        #expect(Style(isTerminal: true, environment: environment).hasColor == hasColor)
        #expect(!Style(isTerminal: false, environment: environment).hasColor)
        #expect(Style.plain.error("x") == "error: x")
    }
}
