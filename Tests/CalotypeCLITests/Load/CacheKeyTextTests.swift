import Calotype
import CalotypeCache
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct CacheKeyTextTests {
    @Test(arguments: [
        ("http://h/a.jpg", "http://h/a.jpg"), ("https://h/a.jpg?x=1#part", "https://h/a.jpg?x=1"),
        ("plain text", "plain text"), ("a/b.jpg", "a/b.jpg"), ("key:1", "key:1"),
    ])
    func `a URL maps to the key of the pipeline, and other text is used as the key`(
        text: String,
        key: String
    ) async throws {
        #expect(try await CacheKeyText.key(for: text) == key)
    }

    @Test func `a local file's key follows its version`() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/a"
        try await OutputFile.write(Data([1]), to: path)
        let first = try await CacheKeyText.key(for: "file://" + path)
        try await OutputFile.write(Data([1, 2]), to: path)
        #expect(try await CacheKeyText.key(for: "file://" + path) != first)
    }

    @Test func `a listed key finds its entry, whatever characters it contains`() async throws {
        let folder = try ScratchFolder()
        let cache = try await DiskCache.open(.init(root: folder.path))
        try await cache.store(Data([1]), forKey: "http://h/a#headers=0123")
        #expect(
            try await CacheKeyText.key(for: "http://h/a#headers=0123", in: cache) == "http://h/a#headers=0123"
        )
        #expect(try await CacheKeyText.key(for: "http://h/b#headers=0123", in: cache) == "http://h/b")
        try await cache.close()
    }
}
