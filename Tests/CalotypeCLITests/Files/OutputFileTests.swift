import CalotypeSupport
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.blocking) struct OutputWriterTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }

    private func code(_ body: () async throws -> Void) async -> CommandError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? CommandError)?.code
        }
    }

    @Test func `a file is replaced atomically with its permissions, without leftover files`() async throws {
        let file = path("a.bin")
        try await OutputFile.write(Data(repeating: 1, count: 100_000), to: file)
        #expect(chmod(file, 0o600) == 0)
        let writer = await OutputWriter(protecting: [], existing: .replaced)
        try await writer.write(Data([2, 3]), to: file)
        #expect(try bytes("a.bin") == Data([2, 3]))
        #expect(FileStatus(at: file)?.permissions == 0o600)
        #expect(try folder.files() == ["a.bin"])
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files to others"))
    func `a replaced file retains its owner`() async throws {
        try await OutputFile.write(Data([1]), to: path("a"))
        #expect(chown(path("a"), 65_534, 65_534) == 0)
        try await OutputFile.write(Data([2]), to: path("a"))
        let status = try #require(FileStatus(at: path("a")))
        #expect(status.owner == 65_534 && status.group == 65_534)
    }

    @Test func `an existing file is preserved unless replacement is requested`() async throws {
        try await OutputFile.write(Data([1]), to: path("a"))
        let writer = await OutputWriter(protecting: [])
        #expect(await code { try await writer.write(Data([2]), to: path("a")) } == .exists)
        #expect(try bytes("a") == Data([1]))
        let skipping = await OutputWriter(protecting: [], existing: .skipped)
        #expect(try await skipping.write(Data([2]), to: path("a")) == .skipped)
        #expect(try await skipping.skips(path("a"), of: "s"))
        #expect(try bytes("a") == Data([1]))
    }

    @Test(arguments: [
        "in.jpg", "./in.jpg", "sub/../in.jpg", ".//in.jpg", "hard.jpg", "soft.jpg", "sub/soft.jpg",
        "linked/in.jpg",
        "chain.jpg",
    ])
    func `an input is not replaced by any of its names`(name: String) async throws {
        try await OutputFile.write(Data([1]), to: path("in.jpg"))
        #expect(mkdir(path("sub"), 0o777) == 0)
        #expect(link(path("in.jpg"), path("hard.jpg")) == 0)
        #expect(symlink("in.jpg", path("soft.jpg")) == 0)
        #expect(symlink("../in.jpg", path("sub/soft.jpg")) == 0)
        #expect(symlink(".", path("linked")) == 0)
        #expect(symlink("soft.jpg", path("chain.jpg")) == 0)
        for input in ["in.jpg", "soft.jpg", "linked/hard.jpg"] {
            for existing in [ExistingFile.refused, .replaced, .skipped] {
                let writer = await OutputWriter(protecting: [path(input)], existing: existing)
                #expect(await code { try await writer.write(Data([2]), to: path(name)) } == .isInput)
                #expect(await code { _ = try await writer.skips(path(name), of: "s") } == .isInput)
            }
        }
        #expect(try bytes("in.jpg") == Data([1]))
        #expect(FileStatus(at: path("soft.jpg"), followsLinks: false)?.kind == .symbolicLink)
    }

    @Test func `a link to another file is preserved, and its target is replaced`() async throws {
        try await OutputFile.write(Data([1]), to: path("real"))
        #expect(symlink("real", path("link")) == 0)
        let writer = await OutputWriter(protecting: [], existing: .replaced)
        try await writer.write(Data([2]), to: path("link"))
        #expect(try bytes("real") == Data([2]))
        #expect(FileStatus(at: path("link"), followsLinks: false)?.kind == .symbolicLink)
    }

    @Test func `a dangling link is not written through`() async throws {
        #expect(symlink("none", path("link")) == 0)
        for existing in [ExistingFile.refused, .replaced] {
            let writer = await OutputWriter(protecting: [], existing: existing)
            #expect(await code { try await writer.write(Data([2]), to: path("link")) } == .notWritable)
        }
        #expect(FileStatus(at: path("none")) == nil)
    }

    @Test func `when many images share one output, one is written and the others fail`() async throws {
        let writer = await OutputWriter(protecting: [], existing: .replaced)
        let codes = await withTaskGroup(of: CommandError.Code?.self) { group in
            for number in 0..<16 {
                group.addTask {
                    await code {
                        try await writer.write(Data([UInt8(number)]), to: path("a"), of: "\(number)")
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .nameClash } == 15)
        #expect(try folder.files() == ["a"])
    }

    @Test func `when many programs create one file, one succeeds and the file is not lost`() async throws {
        let codes = await withTaskGroup(of: CommandError.Code?.self) { group in
            for number in 0..<16 {
                group.addTask {
                    // Each with its own rule, like separate programs.
                    let writer = await OutputWriter(protecting: [])
                    return await code {
                        try await writer.write(Data([UInt8(number)]), to: path("a"), of: "\(number)")
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .exists } == 15)
        #expect(try folder.files() == ["a"])
    }

    @Test(arguments: [(false, true), (true, true), (true, false)])
    func `a new file never replaces another, on every kind of file system`(isNamed: Bool, hasLinks: Bool)
        throws
    {
        try Data([1]).write(to: URL(filePath: path("old")))
        for (name, isFree) in [("old", false), ("new", true)] {
            var file = try AtomicFile(besides: path(name), isNamed: isNamed)
            try file.append(Data([2]), for: path(name))
            #expect(try file.take(path(name), hasLinks: hasLinks) == isFree)
            file.discard()
        }
        var file = try AtomicFile(besides: path("old"), isNamed: isNamed)
        try file.append(Data([3]), for: path("old"))
        #expect(try bytes("old") == Data([1]))
        try file.replace(path("old"))
        file.discard()
        #expect(try bytes("old") == Data([3]) && bytes("new") == Data([2]))
        #expect(try folder.files() == ["new", "old"])
    }

    @Test func `an unnamed file requires a name where the system does not support it`() throws {
        var file = try AtomicFile(besides: path("a"))
        defer { file.discard() }
        // Other file systems give it a name at once.
        guard try folder.files().isEmpty else { return }
        let error = #expect(throws: CommandError.self) { try file.take(path("a"), hasLinks: false) }
        #expect(error?.code == .needsName)
        #expect(try folder.files() == [])
    }

    @Test func `a discarded file leaves no temporary file`() throws {
        var file = try AtomicFile(besides: path("a"), isNamed: true)
        try file.append(Data([2]), for: path("a"))
        #expect(try folder.files().count == 1)
        file.discard()
        #expect(try folder.files() == [])
    }

    @Test func `a missing folder is an error that names the file`() async throws {
        let file = path("none/a.bin")
        let error = await #expect(throws: CommandError.self) {
            try await OutputFile.write(Data([1]), to: file)
        }
        #expect(error?.description == "notWritable: cannot write \(file): No such file or directory")
    }

    @Test func `a folder at the path of the file is preserved`() async throws {
        await #expect(throws: CommandError.self) { try await OutputFile.write(Data([1]), to: folder.path) }
        #expect(try folder.files() == [])
    }

    @Test func `a device is written to and not replaced`() async throws {
        try await OutputFile.write(Data([1]), to: "/dev/null")
        #expect(FileStatus(at: "/dev/null")?.kind == .device)
    }

    @Test func `a full disk is an error`() async throws {
        let error = await #expect(throws: CommandError.self) {
            try await OutputFile.write(Data([1]), to: "/dev/full")
        }
        #expect(error?.detail.contains("No space left") == true)
    }

    @Test func `nothing is written after a cancellation`() async throws {
        let file = path("a.bin")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await OutputFile.write(Data([1]), to: file)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try folder.files() == [])
    }

    @Test func `a folder is created with its parents`() async throws {
        try await OutputWriter.makeFolder(path("a/b"))
        try await OutputWriter.makeFolder(path("a//b/"))
        try await OutputFile.write(Data([1]), to: path("a/b/c"))
        #expect(try folder.files() == ["a/b/c"])
        #expect(await code { try await OutputWriter.makeFolder(path("a/b/c/d")) } == .notWritable)
    }

    @Test(
        arguments: [
            ("-", 1), ("/dev/stdout", 1), ("//dev/./stdout", 1), ("/dev/fd/3", 3), ("/proc/self/fd/1", 1),
            ("/dev/stderr", 2), ("/dev/null", nil), ("dev/stdout", nil), ("/dev/fd/x", nil),
        ] as [(String, Int32?)]
    )
    func `a path may name an open descriptor`(path: String, descriptor: Int32?) {
        #expect(OutputFile.descriptor(of: path) == descriptor)
    }

    @Test func `the dates of a file are set to the given ones`() async throws {
        try await OutputFile.write(Data([1]), to: path("old"))
        var times = [timeval(tv_sec: 1_000_000, tv_usec: 0), timeval(tv_sec: 2_000_000, tv_usec: 5)]
        #expect(utimes(path("old"), &times) == 0)
        let writer = await OutputWriter(protecting: [])
        try await writer.write(Data([2]), to: path("new"), dates: FileDates(of: path("old")))
        var status = stat()
        #expect(stat(path("new"), &status) == 0 && status.st_mtim.tv_sec == 2_000_000)
    }
}
