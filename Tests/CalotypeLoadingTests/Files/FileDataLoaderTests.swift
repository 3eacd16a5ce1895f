import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `File loads` {
    private let folder: ScratchFolder
    private let loader = FileDataLoader()

    init() throws {
        folder = try ScratchFolder()
    }

    private func write(_ bytes: Data, to name: String) throws -> URL {
        let url = URL(filePath: folder.path).appending(path: name)
        try bytes.write(to: url)
        return url
    }

    @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 1_000_000])
    func `a file is read completely, in chunks of at most 256 KiB`(byteCount: Int) async throws {
        let url = try write(sampleBytes(byteCount), to: "a b%ü.bin")
        let response = try await loader.response(for: FetchRequest(url: url))
        #expect(response.origin == .file)
        #expect(response.expectedByteCount == byteCount)
        var chunks: [Data] = []
        for try await chunk in response.body { chunks.append(chunk) }
        #expect(Data(chunks.joined()) == sampleBytes(byteCount))
        #expect(chunks.allSatisfy { (1...262_144).contains($0.count) })
    }

    @Test func `files without a reader are not open`() async throws {
        let url = try write(sampleBytes(1000), to: "small.bin")
        var responses: [FetchResponse] = []
        for _ in 1...100 { responses.append(try await loader.response(for: FetchRequest(url: url))) }
        #expect(try openCount(of: url) == 0)
        for response in responses { #expect(try await response.collected() == sampleBytes(1000)) }
    }

    @Test func `only a few of many large files are open at once`() async throws {
        let url = try write(sampleBytes(300_000), to: "large.bin")
        let greatest = SharedState(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...200 {
                group.addTask {
                    let response = try await loader.response(for: FetchRequest(url: url))
                    let count = try openCount(of: url)
                    greatest.withLock { $0 = max($0, count) }
                    #expect(try await response.collected() == sampleBytes(300_000))
                }
            }
            try await group.waitForAll()
        }
        // At most 32 files; others of the process may reuse their numbers while they are counted. Without a
        // limit the count is near 200.
        #expect((1...100).contains(greatest.value))
    }

    @Test func `a loader with a root opens files below it, and follows no link out of it`() async throws {
        let inside = try write(sampleBytes(10), to: "inside.bin")
        let other = try ScratchFolder()
        let outside = URL(filePath: other.path).appending(path: "outside.bin")
        try sampleBytes(10).write(to: outside)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/link.bin",
            withDestinationPath: outside.path(percentEncoded: false)
        )
        let rooted = try FileDataLoader(root: URL(filePath: folder.path))
        #expect(try await rooted.response(for: FetchRequest(url: inside)).collected() == sampleBytes(10))
        let name = other.path.split(separator: "/").last.map(String.init) ?? ""
        let base = inside.deletingLastPathComponent().absoluteString
        for address in [
            outside.absoluteString, base + "link.bin", base + "../" + name + "/outside.bin",
            base, "\(base.dropLast())x/outside.bin",
        ] {
            let url = try #require(URL(string: address))
            await #expect(throws: FetchError.self, "\(address)") {
                try await rooted.response(for: FetchRequest(url: url)).collected()
            }
        }
        #expect(throws: FetchError.self) { try FileDataLoader(root: try #require(URL(string: "http://h/"))) }
    }

    /// The number of descriptors of this process that are open on a file.
    private func openCount(of url: URL) throws -> Int {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            // A descriptor may be closed between the listing and this call.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) == url.path
        }
    }

    @Test func `a changed file has another version, whatever its name and date`() throws {
        let name = (folder.path + "/").utf8.map { CChar(bitPattern: $0) } + [-1, -2, 0]
        let url = try #require(URL(string: "file://\(folder.path)/%FF%FE"))
        #expect(FileVersion(of: url) == nil)
        var versions: [FileVersion?] = []
        for byte in [UInt8(1), 2] {
            let descriptor = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0o600)
            try #require(descriptor >= 0)
            #expect([byte].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, 1) } == 1)
            var dates = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
            #expect(futimens(descriptor, &dates) == 0)
            close(descriptor)
            versions.append(FileVersion(of: url))
        }
        #expect(versions[0] != nil && versions[1] != nil)
        #expect(versions[0] != versions[1])
    }

    @Test func `the file loader accepts a URL without a scheme as a path`() async throws {
        _ = try write(sampleBytes(3), to: "plain.bin")
        let url = try #require(URL(string: folder.path + "/plain.bin"))
        #expect(url.scheme == nil)
        #expect(try await loader.data(url) == sampleBytes(3))
    }

    @Test func `localhost is accepted, and another host is not`() async throws {
        _ = try write(sampleBytes(3), to: "a.bin")
        let here = try #require(URL(string: "file://localhost\(folder.path)/a.bin"))
        #expect(try await loader.data(here) == sampleBytes(3))
        let away = try #require(URL(string: "file://a.test\(folder.path)/a.bin"))
        #expect(await failure { try await loader.data(away) }?.code == .invalidURL)
    }

    @Test func `a file name that is not UTF-8 is found`() async throws {
        let name = (folder.path + "/").utf8.map { CChar(bitPattern: $0) } + [-1, -2, 0]
        let descriptor = open(name, O_CREAT | O_WRONLY, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
        let url = try #require(URL(string: "file://\(folder.path)/%FF%FE"))
        #expect(try await loader.data(url).isEmpty)
    }

    @Test func `a missing file is not found`() async throws {
        _ = try write(Data(), to: "file")
        for path in ["none.png", "none/none.png", "file/none.png"] {
            let url = URL(filePath: folder.path).appending(path: path)
            let error = await failure { try await loader.data(url) }
            #expect(error?.code == .fileNotFound, "\(path)")
            #expect(error?.isRetryable == false)
        }
    }

    @Test func `a folder, a pipe and a device are refused at once`() async throws {
        let pipe = folder.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        for path in [folder.path, pipe, "/dev/zero", "/dev/null"] {
            let error = await failure { try await loader.data(URL(filePath: path)) }
            #expect(error?.code == .fileNotReadable, "\(path)")
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `a file without permission is unreadable`() async throws {
        let url = try write(sampleBytes(3), to: "secret.bin")
        try #require(chmod(url.path(percentEncoded: false), 0) == 0)
        let error = await failure { try await loader.data(url) }
        #expect(error?.code == .fileNotReadable)
        #expect(error?.detail.contains("Permission denied") == true)
    }

    @Test func `an overlong name has its own error`() async throws {
        let url = URL(filePath: folder.path).appending(path: String(repeating: "a", count: 5000))
        let error = await failure { try await loader.data(url) }
        #expect(error?.code == .fileNotReadable)
        #expect((error?.detail.utf8.count ?? 0) < 1000)
    }

    @Test func `a path with a zero byte is refused`() async throws {
        let url = try #require(URL(string: "file://\(folder.path)/a%00b"))
        #expect(await failure { try await loader.data(url) }?.code == .invalidURL)
    }

    @Test func `a line break in a path does not break the error line`() async throws {
        let url = try #require(URL(string: "file://\(folder.path)/a%0Ab%1B%5B2J"))
        let error = await failure { try await loader.data(url) }
        #expect(error?.code == .fileNotFound)
        #expect(error?.description.unicodeScalars.contains { $0.value < 0x20 } == false)
    }

    @Test func `a file over the limit is refused before it is read`() async throws {
        let url = try write(sampleBytes(1001), to: "a.bin")
        let error = await failure {
            try await loader.response(for: FetchRequest(url: url, maxByteCount: 1000))
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(try await loader.data(url, maxByteCount: 1001).count == 1001)
    }

    @Test func `a file that grows or shrinks during the read is a length mismatch`() async throws {
        for newByteCount in [300_000, 700_000] {
            let url = try write(sampleBytes(500_000), to: "\(newByteCount)")
            let response = try await loader.response(for: FetchRequest(url: url))
            var chunks = response.body.makeAsyncIterator()
            #expect(try await chunks.next()?.count == 262_144)
            try #require(truncate(url.path(percentEncoded: false), newByteCount) == 0)
            let error = await failure { while try await chunks.next() != nil {} }
            #expect(error?.code == .lengthMismatch)
        }
    }

    @Test func `a cancelled task reads nothing`() async throws {
        let url = try write(sampleBytes(3), to: "a.bin")
        let load = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await loader.data(url)
        }
        await #expect(throws: CancellationError.self) { try await load.value }
    }

    @Test func `another scheme is refused`() async throws {
        let url = try #require(URL(string: "http://a.test/a"))
        #expect(await failure { try await loader.data(url) }?.code == .unsupportedScheme)
    }
}
