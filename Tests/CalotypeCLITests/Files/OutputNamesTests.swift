import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct OutputNamesTests {
    private func names(_ addresses: [String]) -> [String] {
        let sources = addresses.map { BatchSource($0) }
        let names = OutputNames(for: sources)
        return sources.indices.map { names.path(at: $0) }
    }

    @Test(arguments: [
        ("http://h/a/photo.jpeg", "photo"), ("http://h/a/photo.tar.gz?x=1#f", "photo.tar"),
        ("http://h/a%20b.png", "a b"), ("http://h/%C3%BC.png", "ü"), ("http://host.org/", "host.org"),
        ("http://user:secret@host.org/", "host.org"), ("http://h/a%3Fb.png", "a_b"),
        ("data:image/png;base64,AAAA", "data"), ("pictures/cat.png", "cat"), ("http://h/.png", "image"),
        ("http://h/..%2F..%2Fetc", "etc"), ("http://h/noextension", "noextension"),
        ("ü b.JPG", "ü b"), ("a?b*c:d.png", "a?b*c:d"), ("file:///x/%C3%BC%20b.png", "ü b"),
        ("50%.png", "50%"), ("日本 語.webp", "日本 語"),
    ])
    func `a name is the last part of the path, with blanks and letters of all scripts`(
        address: String,
        name: String
    ) {
        #expect(names([address]) == [name])
    }

    @Test func `clashing names get a digest of their source in any order`() {
        let addresses = ["http://a/x.png", "http://b/x.jpg", "http://c/X.png", "http://d/y.png"]
        let inOrder = names(addresses)
        #expect(inOrder[3] == "y")
        #expect(inOrder[0].wholeMatch(of: /x-[0-9a-f]{8}/) != nil)
        #expect(inOrder[2].wholeMatch(of: /X-[0-9a-f]{8}/) != nil)
        #expect(Set(inOrder.map { $0.lowercased() }).count == 4)
        #expect(names(addresses.reversed()) == inOrder.reversed())
    }

    @Test func `a source listed twice has one name`() {
        #expect(names(["http://a/x.png", "http://a/x.png"]) == ["x", "x"])
    }

    @Test func `spellings of one file are one source`() async throws {
        let folder = try ScratchFolder()
        for name in ["p", "q"] { try await OutputWriter.makeFolder("\(folder.path)/\(name)") }
        for name in ["p/x.png", "q/x.png"] {
            try await OutputFile.write(Data([1]), to: "\(folder.path)/\(name)")
        }
        let spellings = ["p/x.png", "./p//x.png", "q/x.png", "q/../p/x.png"]
        let names = OutputNames(for: spellings.map { BatchSource("\(folder.path)/\($0)") })
        #expect(names.originals == [0, 0, 2, 0])
        #expect(names.path(at: 0) == names.path(at: 3) && names.path(at: 0) != names.path(at: 2))
    }

    @Test func `a name equal to a name with a digest gets a digest too`() {
        let first = names(["http://a/p.png", "http://b/p.png"])
        let all = names(["http://a/p.png", "http://b/p.png", "http://c/\(first[0]).png"])
        #expect(Array(all.prefix(2)) == first)
        #expect(Set(all).count == 3)
    }

    @Test func `names clash with their extension when the formats are known`() async throws {
        let folder = try ScratchFolder()
        let picture = TestImages.photograph(PixelSize(width: 8, height: 8))
        try await OutputFile.write(try JPEGEncoder().encode(picture), to: folder.path + "/p.png")
        try await OutputFile.write(try PNGEncoder().encode(picture), to: folder.path + "/p.jpg")
        try await OutputFile.write(Data("none".utf8), to: folder.path + "/p.gif")
        func names(_ files: [String], _ own: ResultFormat.Own, _ format: ImageFormat? = nil) -> [String] {
            let sources = files.map { BatchSource("\(folder.path)/\($0)") }
            let names = OutputNames(for: sources, format: ResultFormat(requested: format, own: own))
            return sources.indices.map { names.path(at: $0) }
        }
        for own in [ResultFormat.Own.kept, .encoded] {
            #expect(names(["p.png", "p.jpg"], own) == ["p", "p"])
            #expect(names(["p.png", "p.jpg", "p.gif"], own).allSatisfy { $0.hasPrefix("p-") })
            #expect(names(["p.png", "p.jpg"], own, .webP).allSatisfy { $0.hasPrefix("p-") })
        }
        #expect(names(["p.png", "p.jpg"], .open).allSatisfy { $0.hasPrefix("p-") })
    }

    @Test func `names in different folders do not clash`() {
        let sources = [BatchSource("p/a/x.png", in: "a"), BatchSource("p/b/x.png", in: "b")]
        let names = OutputNames(for: sources)
        #expect([0, 1].map { names.path(at: $0) } == ["a/x", "b/x"])
    }

    @Test func `a name stays inside its folder`() {
        let hostile = [
            "http://h/..", "http://h/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "http://h/a%00b", "..", "/", ".",
        ]
        for name in names(hostile) {
            #expect(!name.contains("/") && !name.hasPrefix(".") && !name.contains("\0") && !name.isEmpty)
        }
    }

    @Test func `a long name is truncated to the limit of file systems`() {
        let long = names(["http://h/" + String(repeating: "ü", count: 5000) + ".png"])
        #expect(long.map(\.utf8.count) == [200])
    }
}

@Suite(.gated) struct NameTemplateTests {
    @Test func `a template has fields of the source and of the result`() throws {
        let sources = [BatchSource("p/cat.png"), BatchSource("p/dog.png")]
        let names = OutputNames(
            for: sources,
            template: try NameTemplate("{number}-{name}-{width}x{height}.{format}")
        )
        let info = ImageInfo(format: .webP, size: PixelSize(width: 40, height: 30), pixelFormat: .rgb8)
        #expect(names.path(at: 0, info) == "1-cat-40x30.webp")
        #expect(!names.areKnown)
    }

    @Test func `a template without a field of the source gets a digest`() throws {
        let sources = [BatchSource("p/cat.png"), BatchSource("p/dog.png")]
        let names = OutputNames(for: sources, template: try NameTemplate("small"))
        #expect(Set([0, 1].map { names.path(at: $0) }).count == 2)
        #expect(names.path(at: 0).hasPrefix("small-"))
    }

    @Test(arguments: ["", "a/b", "{name", "name}", "{nam}", "{}", ".{name}", "a\nb", "{../x}"])
    func `an invalid template is rejected`(text: String) {
        #expect(throws: ValidationError.self) { try NameTemplate(text) }
    }

    @Test func `a misspelt field gets a suggestion`() {
        let error = #expect(throws: ValidationError.self) { try NameTemplate("{nmae}") }
        #expect(error?.message.contains("did you mean {name}?") == true)
    }
}

@Suite(.gated) struct OutputTargetTests {
    private let folder: ScratchFolder
    private let info = ImageInfo(format: .png, size: PixelSize(width: 4, height: 3), pixelFormat: .rgb8)

    init() throws {
        folder = try ScratchFolder()
    }

    private func sources(_ addresses: String...) -> [BatchSource] { addresses.map { BatchSource($0) } }

    @Test func `one image is written to the given path`() throws {
        let target = try OutputTarget("new/a.webp", sources: sources("u"))
        #expect(target == .file("new/a.webp"))
        #expect(target.path(at: 0, info) == "new/a.webp")
        #expect(target.format == .webP)
    }

    @Test func `a folder gets a name for each image`() throws {
        let target = try OutputTarget(folder.path, sources: sources("http://h/a.jpeg"))
        #expect(target.path(at: 0, info) == folder.path + "/a.png")
        #expect(target.format == nil)
        let absent = try OutputTarget("new/", sources: sources("http://h/a.jpeg"))
        #expect(absent.path(at: 0, info) == "new/a.png")
    }

    @Test func `several images need a folder`() async throws {
        let path = folder.path + "/file.png"
        try await OutputFile.write(.init(), to: path)
        #expect(throws: ValidationError.self) { try OutputTarget(path, sources: sources("a", "b")) }
        let new = folder.path + "/new"
        #expect(try OutputTarget(new, sources: sources("a", "b")) != .file(new))
    }

    @Test(arguments: [
        ("a.png", false), ("a.webp", true), ("a.xyz", true), ("webp", true), ("-", true), ("x.png/", true),
    ])
    func `a format contradicts the extension of another format`(path: String, isAccepted: Bool) {
        let check = { try OutputTarget.checkExtension(of: path, against: .webP) }
        if isAccepted {
            #expect(throws: Never.self) { try check() }
        } else {
            #expect(throws: ValidationError.self) { try check() }
        }
    }
}
