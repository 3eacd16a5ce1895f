import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.blocking) struct SampleFilesTests {
    private let folder: ScratchFolder

    init() async throws {
        folder = try ScratchFolder()
        for name in ["b.jpg", "a b%#.png", "notes.txt", ".hidden.jpg"] {
            try await OutputFile.write(Data([1]), to: "\(folder.path)/\(name)")
        }
        try await OutputWriter.makeFolder("\(folder.path)/sub.jpg")
        #expect(symlink("b.jpg", "\(folder.path)/link.jpg") == 0)
    }

    private func names(_ arguments: String...) throws -> [String] {
        SampleFiles.names(for: try SettingsSource(arguments, [:], nil).settings)
    }

    @Test func `images directly in the local root are suggested, without links and hidden files`() throws {
        #expect(try names("--local-root=\(folder.path)") == ["a b%#.png", "b.jpg"])
    }

    @Test func `a file outside the allowed sources is not suggested`() throws {
        let root = "--local-root=\(folder.path)"
        #expect(try names(root, "--allowed-sources=local:///b.jpg") == ["b.jpg"])
        #expect(try names(root, "--allowed-sources=a.test") == [])
    }

    @Test func `without a readable root no file is suggested`() throws {
        #expect(try names() == [])
        #expect(try names("--local-root=\(folder.path)/none") == [])
    }

    @Test func `at most 24 files are suggested`() async throws {
        for number in 10..<40 {
            try await OutputFile.write(Data([1]), to: "\(folder.path)/\(number).jpg")
        }
        let names = try names("--local-root=\(folder.path)")
        #expect(names.count == 24 && names.first == "10.jpg")
    }
}
