import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeCLI

@Suite struct OutputFileTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    @Test func `a file is replaced whole, and nothing else is left`() async throws {
        let path = folder.path + "/a.bin"
        try await OutputFile.write(Data(repeating: 1, count: 100_000), to: path)
        try await OutputFile.write(Data([2, 3]), to: path)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([2, 3]))
        #expect(try folder.files() == ["a.bin"])
    }

    @Test func `a folder that is not there is an error that names the file`() async throws {
        let path = folder.path + "/none/a.bin"
        let error = await #expect(throws: CommandError.self) {
            try await OutputFile.write(Data([1]), to: path)
        }
        #expect(error?.description == "notWritable: cannot write \(path): No such file or directory")
    }

    @Test func `a folder in the place of the file stays`() async throws {
        await #expect(throws: CommandError.self) { try await OutputFile.write(Data([1]), to: folder.path) }
        #expect(try folder.files() == [])
    }

    @Test func `a device is written to and not replaced`() async throws {
        try await OutputFile.write(Data([1]), to: "/dev/null")
        let attributes = try FileManager.default.attributesOfItem(atPath: "/dev/null")
        #expect(attributes[.type] as? FileAttributeType == .typeCharacterSpecial)
    }

    @Test func `a full disk is an error`() async throws {
        let error = await #expect(throws: CommandError.self) {
            try await OutputFile.write(Data([1]), to: "/dev/full")
        }
        #expect(error?.detail.contains("No space left") == true)
    }

    @Test func `nothing is written after a cancellation`() async throws {
        let path = folder.path + "/a.bin"
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await OutputFile.write(Data([1]), to: path)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try folder.files() == [])
    }

    @Test func `a folder is made with those above it`() async throws {
        try await OutputFile.makeFolder(folder.path + "/a/b")
        try await OutputFile.write(Data([1]), to: folder.path + "/a/b/c")
        #expect(try folder.files() == ["a/b/c"])
    }
}
