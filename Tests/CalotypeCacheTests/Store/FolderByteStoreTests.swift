import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite(.blocking) struct FolderByteStoreTests {
    @Test func `a bundled file is found at the path of the closure`() async throws {
        let scratch = try ScratchFolder()
        try testBytes(50).write(to: URL(filePath: scratch.path + "/logo.png"))
        let store = FolderByteStore { key in
            key.hasPrefix("bundle:") ? "\(scratch.path)/\(key.dropFirst(7))" : nil
        }
        #expect(store.name == "bundle")
        #expect(!store.isWritable)
        #expect(try await store.blob(forKey: "bundle:logo.png")?.data == testBytes(50))
        #expect(try await store.contains("bundle:logo.png"))
        #expect(try await store.blob(forKey: "bundle:none.png") == nil)
        #expect(try await store.blob(forKey: "https://example.org/logo.png") == nil)
        #expect(try await store.blob(forKey: "bundle:") == nil, "a folder is no blob")
        #expect(try await !store.contains("bundle:"))
    }

    // A ConfigMap, a Nix profile and the run files of Bazel are folders of links.
    @Test func `files are read through symbolic links`() async throws {
        let scratch = try ScratchFolder()
        let files = FileManager.default
        try files.createDirectory(atPath: scratch.path + "/..2026", withIntermediateDirectories: false)
        try testBytes(50).write(to: URL(filePath: scratch.path + "/..2026/logo.png"))
        try files.createSymbolicLink(atPath: scratch.path + "/..data", withDestinationPath: "..2026")
        try files.createSymbolicLink(
            atPath: scratch.path + "/logo.png",
            withDestinationPath: "..data/logo.png"
        )
        let store = FolderByteStore { "\(scratch.path)/\($0)" }
        #expect(try await store.contains("logo.png"))
        #expect(try await store.blob(forKey: "logo.png")?.data == testBytes(50))
        #expect(try await store.blobInfo(forKey: "logo.png")?.byteCount == 50)
        #expect(try await store.blob(forKey: "..data") == nil, "a link to a folder is no blob")
    }

    @Test func `a dangling link is a miss, and a link cycle an error`() async throws {
        let scratch = try ScratchFolder()
        let files = FileManager.default
        try files.createSymbolicLink(atPath: scratch.path + "/gone", withDestinationPath: "nothing")
        try files.createSymbolicLink(atPath: scratch.path + "/circle", withDestinationPath: "circle")
        let store = FolderByteStore { "\(scratch.path)/\($0)" }
        #expect(try await store.blob(forKey: "gone") == nil)
        #expect(try await !store.contains("gone"))
        await expectCode(.obstructed) { _ = try await store.blob(forKey: "circle") }
    }

    @Test func `a pipe and a socket are skipped without blocking`() async throws {
        let scratch = try ScratchFolder()
        #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array((scratch.path + "/socket").utf8)
        try #require(path.count < 108)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
        let store = FolderByteStore { "\(scratch.path)/\($0)" }
        for key in ["pipe", "socket"] {
            #expect(try await store.blob(forKey: key) == nil)
            #expect(try await !store.contains(key))
        }
    }

    @Test func `writing and removing are rejected`() async throws {
        let scratch = try ScratchFolder()
        try testBytes(50).write(to: URL(filePath: scratch.path + "/a"))
        let store = FolderByteStore { "\(scratch.path)/\($0)" }
        await expectCode(.readOnly) { try await store.store(Data(), forKey: "a", options: BlobOptions()) }
        await expectCode(.readOnly) { try await store.removeBlob(forKey: "a") }
        await expectCode(.readOnly) { try await store.removeAll() }
        await expectCode(.readOnly) { try await store.renewBlob(forKey: "a", options: BlobOptions()) }
        #expect(try await store.blob(forKey: "a")?.data == testBytes(50))
    }

    @Test func `names equal those of SDWebImage`() {
        // `printf %s KEY | md5sum`.
        let names = FolderByteStore.sdWebImageFileNames(forKey: "https://example.org/a.jpg?w=1")
        #expect(names == ["9290e4520b880808c9a1ecb1c9d93bc4.jpg", "9290e4520b880808c9a1ecb1c9d93bc4"])
        #expect(FolderByteStore.sdWebImageFileNames(forKey: "plain") == ["ac7938d40cfc2307e2bf325d28e7884e"])
        #expect(
            FolderByteStore.sdWebImageFileNames(forKey: "plain\0rest") == ["ac7938d40cfc2307e2bf325d28e7884e"]
        )
    }

    @Test func `a directory of SDWebImage is read with the extension and without`() async throws {
        let scratch = try ScratchFolder()
        let names = FolderByteStore.sdWebImageFileNames(forKey: "https://example.org/a.jpg")
        let store = FolderByteStore.sdWebImage(directory: scratch.path)
        #expect(try await store.blob(forKey: "https://example.org/a.jpg") == nil)
        try testBytes(10, seed: 1).write(to: URL(filePath: scratch.path + "/" + names[1]))
        #expect(try await store.blob(forKey: "https://example.org/a.jpg")?.data == testBytes(10, seed: 1))
        try testBytes(10, seed: 2).write(to: URL(filePath: scratch.path + "/" + names[0]))
        #expect(try await store.blob(forKey: "https://example.org/a.jpg")?.data == testBytes(10, seed: 2))
        #expect(try await store.contains("https://example.org/a.jpg"))
    }
}
