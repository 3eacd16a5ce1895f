import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.blocking) struct InputAddressTests {
    @Test(arguments: [
        ("http://h/a", true), ("HTTPS://h/a", true), (" http://h/a", true), ("file:/a.png", true),
        ("data:image/png,AA", true), ("ftp://h/a", true), ("IMG:1.png", true), ("http:1.png", true),
        ("a.png", false), ("/a:b.png", false), ("./IMG:1.png", false), ("C:/a.png", false), ("", false),
        ("ü:a.png", false), ("1a:b", false), (":a", false), ("-", false), ("a b:c", false),
    ])
    func `without a file of its name, text with a scheme is a URL`(text: String, isURL: Bool) {
        #expect(InputAddress.isURL(text) == isURL)
    }

    @Test func `a loadable URL is never treated as a file`() throws {
        let folder = try ScratchFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/http:/h",
            withIntermediateDirectories: true
        )
        for text in ["http://h", "data:,", "file:/h"] { #expect(InputAddress.isLoaded(text)) }
        for text in ["http:1.png", "data:1.png", "file:1.png", "IMG:1.png"] {
            #expect(!InputAddress.isLoaded(text))
        }
    }
}

@Suite(.blocking) struct BatchSourceTests {
    private let folder: ScratchFolder

    init() async throws {
        folder = try ScratchFolder()
    }

    @Test func `spellings of one file have one normal form`() async throws {
        try await OutputFile.write(Data([1]), to: folder.path + "/b.png")
        #expect(symlink(folder.path + "/b.png", folder.path + "/link.png") == 0)
        let plain = BatchSource(folder.path + "/b.png").normalForm
        for spelling in ["/./b.png", "//b.png", "/link.png"] {
            #expect(BatchSource(folder.path + spelling).normalForm == plain)
        }
        #expect(BatchSource("file://" + plain).normalForm == plain)
        #expect(BatchSource(folder.path + "/none.png").normalForm.hasSuffix("/none.png"))
    }

    @Test(arguments: [
        ("http://H:80/a/../b#c", "http://h/b"), ("HTTP://h", "http://h/"), ("http://h/?q#f", "http://h/?q"),
        ("-", "-"), ("data:,a#b", "data:,a#b"),
    ])
    func `a URL has one normal form`(address: String, expected: String) {
        #expect(BatchSource(address).normalForm == expected)
    }
}
