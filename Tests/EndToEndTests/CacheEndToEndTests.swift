import CalotypeCache
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct CacheEndToEndTests {
    private let folder: ScratchFolder
    private var cache: [String] { ["--cache-dir", folder.path + "/cache", "--json"] }

    init() throws {
        folder = try ScratchFolder()
    }

    private func run(_ arguments: String...) async throws -> Tool.Outcome {
        try await Tool.run(["cache"] + arguments + cache)
    }

    @Test func `an entry is found by the argument of load`() async throws {
        let origin = try await LoopbackOrigin.start(routes: ["/a.jpg": .body(try Pictures.jpeg())])
        let url = origin.url("/a.jpg").absoluteString
        #expect(try await Tool.run(["load", url] + cache).status == 0)
        await origin.close()

        let path = try await run("path", url + "#fragment")
        #expect(path.status == 0)
        let object = try #require(try path.objects.first)
        #expect(Set(object.keys) == ["key", "path", "exists"])
        #expect(object["exists"] as? Bool == true)
        // The file starts with the image itself.
        let entry = try #require(object["path"] as? String)
        #expect(try Data(contentsOf: URL(filePath: entry)).starts(with: Pictures.jpeg()))

        let copy = folder.path + "/copy.jpg"
        #expect(try await run("get", url, "--output", copy).status == 0)
        #expect(try Data(contentsOf: URL(filePath: copy)) == Pictures.jpeg())

        let removal = try await run("remove", url)
        #expect(try removal.objects.first?["removed"] as? Int == 1)
        #expect(try await run("path", url).status == 4)
        #expect(try await run("path", url).objects.first?["exists"] as? Bool == false)
        #expect(try await run("get", url, "--output", copy).status == 4)
        let again = try await run("remove", url)
        #expect(try again.objects.first?["removed"] as? Int == 0)
        #expect(again.status == 4)
    }

    @Test func `removing an image removes all its variants, and nothing else`() async throws {
        let origin = try await LoopbackOrigin.start(routes: [
            "/a.jpg": .body(try Pictures.jpeg()), "/b.jpg": .body(try Pictures.jpeg(seed: 2)),
        ])
        let urls = ["/a.jpg", "/b.jpg"].map { origin.url($0).absoluteString }
        for width in ["20", "30"] {
            let options = ["--format", "webp", "--width", width] + cache
            #expect(try await Tool.run(["load"] + urls + options).status == 0)
        }
        await origin.close()
        #expect(try await run("remove", urls[0]).objects.first?["removed"] as? Int == 3)
        let options = ["--format", "webp", "--width", "20", "--only-from-cache"] + cache
        #expect(try await Tool.run(["load", urls[0]] + options).status == 4)
        #expect(try await Tool.run(["load", urls[1]] + options).status == 0)
        let host = urls[1].replacingOccurrences(of: "b.jpg", with: "*")
        #expect(try await run("remove", host).objects.first?["removed"] as? Int == 3)
    }

    @Test func `a mistyped cache folder is an error, and is not created`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        #expect(try await run("put", "key", picture).status == 0)
        for command in ["stats", "list", "verify", "expire", "trim", "clear", "limits"] {
            let lost = try await Tool.run(["cache", command, "--cache-dir", folder.path + "/cahce"])
            #expect(lost.status == 1 && lost.errors.hasPrefix("error: noSuchCache: "), "\(command)")
            let typo = try await run(command, "--namespace", "typo")
            #expect(typo.status == 1 && typo.errors.contains("typo"), "\(command)")
        }
        #expect(try folder.files().allSatisfy { !$0.hasPrefix("cahce") && !$0.contains("typo") })
    }

    @Test func `the limits of a directory are shown and changed`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        #expect(try await run("put", "key", picture).status == 0)
        let set = try await run("limits", "--size", "2MB", "--count", "100", "--expire-unused", "30d")
        #expect(set.status == 0)
        let shown = try #require(try await run("limits").objects.first)
        #expect(shown["sizeLimit"] as? Int == 2_000_000 && shown["countLimit"] as? Int == 100)
        #expect(shown["expiry"] as? String == "30 days after the last use")
        #expect(try await run("stats").objects.first?["sizeLimit"] as? Int == 2_000_000)
        let never = try await run("limits", "--never-expire")
        #expect(try never.objects.first?["expiry"] as? String == "never")
        #expect(try await run("limits", "--count", "0").status == 0)
        #expect(try await run("stats").objects.first?["entries"] as? Int == 0)
    }

    @Test func `a stored file is loaded from disk, without its origin`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        let url = "http://127.0.0.1:1/a.png"
        let put = try await run("put", url, picture)
        #expect(put.status == 0)
        #expect(try put.objects.first?["bytes"] as? Int == Pictures.png().count)
        let load = try await Tool.run(["load", url] + cache)
        #expect(try load.objects.first?["source"] as? String == "disk")
    }

    @Test func `storing a file respects the limits that an application set`() async throws {
        // More bytes than the tool's default, and few entries.
        let settings = DiskSettings(sizeLimit: 5 << 30, countLimit: 3, expiry: .never)
        let root = folder.path + "/cache"
        let application = try await DiskCache.open(.init(root: root, settings: settings))
        try await application.store(Data([1]), forKey: "own")
        // Closed, so that it does not trim concurrently with the tool.
        try await application.close()
        let written = try Data(contentsOf: URL(filePath: root + "/default/v1/settings"))
        let picture = try await folder.file("a.png", try Pictures.png())
        var removedCount = 0
        for index in 0..<5 {
            let put = try await run("put", "\(index)", picture)
            #expect(put.status == 0)
            removedCount += try #require(try put.objects.first?["removed"] as? Int)
        }
        #expect(removedCount == 3, "six entries, of which three stay")
        let stats = try #require(try await run("stats").objects.first)
        #expect(stats["sizeLimit"] as? Int == 5 << 30)
        #expect(stats["entries"] as? Int == 3)
        #expect(try Data(contentsOf: URL(filePath: root + "/default/v1/settings")) == written)
        let again = try await DiskCache.open(.init(root: root))
        #expect(try await again.blob(forKey: "4")?.data == Pictures.png())
        try await again.close()
    }

    @Test func `a directory larger than the tool's default limit retains every entry`() async throws {
        let root = folder.path + "/cache"
        let settings = DiskSettings(sizeLimit: 5 << 30, expiry: .never)
        let application = try await DiskCache.open(.init(root: root, settings: settings))
        for index in 0..<50 { try await application.store(Data(count: 1000), forKey: "\(index)") }
        let picture = try await folder.file("a.png", try Pictures.png())
        for command in [["put", "new", picture], ["expire"], ["trim"]] {
            let outcome = try await Tool.run(["cache"] + command + cache)
            #expect(outcome.status == 0)
            #expect(try outcome.objects.first?["removed"] as? Int == 0)
        }
        try await application.close()
        #expect(try await run("stats").objects.first?["entries"] as? Int == 51)
    }

    @Test func `stats, list and clear report the same numbers`() async throws {
        try await OutputWriter.makeFolder(folder.path + "/cache")
        let empty = try #require(try await run("stats").objects.first)
        let names = ["entries", "bytes", "sizeLimit", "corrupt", "unreadable", "oldest", "newest"]
        #expect(Set(empty.keys) == Set(names))
        #expect(empty["entries"] as? Int == 0)
        let picture = try await folder.file("a.png", try Pictures.png())
        for key in ["one", "two", "http://h/three.png"] { _ = try await run("put", key, picture) }
        let list = try await run("list").objects
        #expect(Set(list.compactMap { $0["key"] as? String }) == ["one", "two", "http://h/three.png"])
        #expect(Set(list[0].keys) == ["key", "path", "bytes", "written", "accessed", "expires"])
        let byteCount = list.compactMap { $0["bytes"] as? Int }.reduce(0, +)
        let stats = try #require(try await run("stats").objects.first)
        #expect(stats["entries"] as? Int == 3 && stats["bytes"] as? Int == byteCount)
        #expect((stats["newest"] as? String)?.hasSuffix("Z") == true)
        #expect(try await run("namespaces").objects.first?["namespace"] as? String == "default")
        let clear = try #require(try await run("clear").objects.first)
        #expect(Set(clear.keys) == ["removed", "bytes"])
        #expect(clear["removed"] as? Int == 3 && clear["bytes"] as? Int == byteCount)
        #expect(try await run("list").output == "")
    }

    @Test func `namespaces are separate`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        _ = try await run("put", "key", picture, "--namespace", "other")
        #expect(try await run("path", "key").status == 4)
        #expect(try await run("path", "key", "--namespace", "other").status == 0)
    }

    @Test func `damage is found, reported with status 3, and repaired`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        _ = try await run("put", "sound", picture)
        _ = try await run("put", "damaged", picture)
        let path = try #require(try await run("path", "damaged").objects.first?["path"] as? String)
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: path))

        let verify = try await run("verify")
        #expect(verify.status == 3)
        #expect(verify.errors.contains(path))
        let found = try #require(try verify.objects.first)
        #expect(found as? [String: Int] == ["checked": 2, "corrupt": 1, "repaired": 0, "unreadable": 0])
        let repair = try await run("verify", "--repair")
        #expect(repair.status == 0)
        let repaired = ["checked": 2, "corrupt": 1, "repaired": 1, "unreadable": 0]
        #expect(try repair.objects.first as? [String: Int] == repaired)
        let again = try await run("verify")
        #expect(again.status == 0)
        let sound = ["checked": 1, "corrupt": 0, "repaired": 0, "unreadable": 0]
        #expect(try again.objects.first as? [String: Int] == sound)
    }

    @Test func `trim and expire remove the expected entries`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        for key in ["one", "two"] { _ = try await run("put", key, picture) }
        #expect(try await run("expire").objects.first?["removed"] as? Int == 0)
        #expect(try await run("trim").objects.first?["removed"] as? Int == 0)
        #expect(try await run("trim", "--size", "0").objects.first?["removed"] as? Int == 2)
    }

    @Test func `inspection commands remove nothing, not even expired entries`() async throws {
        let root = folder.path + "/cache"
        let settings = DiskSettings(expiry: .afterWrite(.zero))
        var configuration = DiskCache.Configuration(root: root, settings: settings)
        configuration.removesExpiredOnClose = false
        let application = try await DiskCache.open(configuration)
        try await application.store(Data([1]), forKey: "key")
        try await application.close()
        for command in ["stats", "list", "namespaces", "verify"] {
            #expect(try await run(command).status == 0)
        }
        #expect(try await run("path", "key").status == 4)
        #expect(try await run("list").objects.count == 1)
        #expect(try await run("expire").objects.first?["removed"] as? Int == 1)
        #expect(try await run("list").objects.isEmpty)
    }

    @Test func `move merges another directory, and existing entries take precedence`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        let other = try await folder.file("b.png", try Pictures.jpeg())
        let old = folder.path + "/old"
        for key in ["one", "both"] {
            _ = try await Tool.run("cache", "put", key, other, "--cache-dir", old, "--json")
        }
        _ = try await run("put", "both", picture)
        #expect(try await run("move", old + "/default").objects.first?["removed"] as? Int == 1)
        let copy = folder.path + "/copy"
        #expect(try await run("get", "both", "--output", copy).status == 0)
        #expect(try Data(contentsOf: URL(filePath: copy)) == Pictures.png())
        #expect(try await run("path", "one").status == 0)
        #expect(try await run("move", old + "/default").objects.first?["removed"] as? Int == 0)
    }

    @Test func `moving a folder without a cache is an error, and moving an absent one is not`() async throws {
        let picture = try await folder.file("a.png", try Pictures.png())
        let old = folder.path + "/old"
        _ = try await Tool.run("cache", "put", "key", picture, "--cache-dir", old, "--json")
        for other in [picture, folder.path, old, "/"] {
            let outcome = try await run("move", other)
            #expect(outcome.status == 1 && outcome.errors.contains("noSuchCache"), "\(outcome)")
        }
        #expect(try await run("move", folder.path + "/none").status == 0)
        #expect(try await run("move", old + "/default/").objects.first?["removed"] as? Int == 1)
    }

    @Test func `an unusable cache folder is an error`() async throws {
        let file = try await folder.file("file", Data([1]))
        let outcome = try await Tool.run("cache", "put", "key", file, "--cache-dir", file + "/x", "--json")
        #expect(outcome.status == 1)
        #expect(outcome.output == "")
        #expect(outcome.errorLines.count == 1 && outcome.errors.hasPrefix("error: obstructed: "))
    }
}
