import ArgumentParser
import CalotypeCore
import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeCLI

@Suite struct OutputNamesTests {
    @Test(arguments: [
        ("http://h/a/photo.jpeg", "photo"), ("http://h/a/photo.tar.gz?x=1#f", "photo.tar"),
        ("http://h/a%20b.png", "a_b"), ("http://h/%C3%BC.png", "ü"), ("http://host.org/", "host.org"),
        ("data:image/png;base64,AAAA", "data"), ("pictures/cat.png", "cat"), ("http://h/.png", "image"),
        ("http://h/..%2F..%2Fetc", "etc"), ("http://h/noextension", "noextension"),
    ])
    func `a name is made from the last part of the path`(address: String, stem: String) {
        #expect(OutputNames.stems(for: [address]).first?.hasPrefix("/") == false)
        #expect(OutputNames.stems(for: [address]) == [stem])
    }

    @Test func `no two names are alike, also where case makes no difference`() {
        let addresses = ["http://a/x.png", "http://b/x.jpg", "http://c/X.png", "http://d/x-2.png"]
        #expect(OutputNames.stems(for: addresses) == ["x", "x-2", "X-3", "x-2-2"])
    }

    @Test func `a name never leaves its folder`() {
        let hostile = ["http://h/..", "http://h/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "http://h/a%00b", "..", "/"]
        for stem in OutputNames.stems(for: hostile) {
            #expect(!stem.contains("/") && !stem.hasPrefix(".") && !stem.contains("\0") && !stem.isEmpty)
        }
    }

    @Test func `a long name is cut`() {
        let stems = OutputNames.stems(for: ["http://h/" + String(repeating: "a", count: 5000) + ".png"])
        #expect(stems.map(\.count) == [100])
    }
}

@Suite struct LoadTargetTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    @Test func `one image goes to the path as it stands`() throws {
        let target = try LoadTarget("new/a.webp", addresses: ["u"])
        #expect(target == .file("new/a.webp"))
        #expect(target.path(at: 0, format: .png) == "new/a.webp")
        #expect(target.format == .webP)
    }

    @Test func `a folder gets a name for each image`() throws {
        let target = try LoadTarget(folder.path, addresses: ["http://h/a.jpeg"])
        #expect(target.path(at: 0, format: .jpeg) == folder.path + "/a.jpg")
        #expect(target.format == nil)
        let absent = try LoadTarget("new/", addresses: ["http://h/a.jpeg"])
        #expect(absent.path(at: 0, format: .png) == "new/a.png")
    }

    @Test func `several images need a folder`() async throws {
        let path = folder.path + "/file.png"
        try await OutputFile.write(.init(), to: path)
        #expect(throws: ValidationError.self) { try LoadTarget(path, addresses: ["a", "b"]) }
        #expect(try LoadTarget(folder.path + "/new", addresses: ["a", "b"]) != .file(folder.path + "/new"))
    }
}
