import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.blocking) struct FolderWalkTests {
    private let folder: ScratchFolder

    init() async throws {
        folder = try ScratchFolder()
        for name in [
            "b.jpg", "a.PNG", "notes.txt", ".hidden.jpg", "sub/c.webp", "sub/deep/d.heic", "out/e.jpg",
            ".git/f.jpg",
        ] {
            let path = folder.path + "/" + name
            try await OutputWriter.makeFolder(FileLocation.split(path).folder)
            try await OutputFile.write(Data([1]), to: path)
        }
        #expect(symlink("..", folder.path + "/sub/loop") == 0)
        #expect(symlink("none.jpg", folder.path + "/dangling.jpg") == 0)
        #expect(symlink("b.jpg", folder.path + "/linked.jpg") == 0)
    }

    @Test func `a walk finds the visible images with their folders, and not those of the output`()
        async throws
    {
        let sources = try await BatchSource.all(
            [folder.path],
            isRecursive: true,
            besides: [folder.path + "/out"]
        )
        let expected = [
            ("a.PNG", ""), ("b.jpg", ""), ("linked.jpg", ""), ("sub/c.webp", "sub"),
            ("sub/deep/d.heic", "sub/deep"),
        ].map { BatchSource(path: folder.path + "/" + $0.0, in: $0.1) }
        #expect(sources == expected)
    }

    @Test func `a folder is not walked unless recursion is requested`() async throws {
        let sources = try await BatchSource.all([folder.path], isRecursive: false)
        #expect(sources == [BatchSource(folder.path)])
    }

    @Test func `a folder without images is an error`() async throws {
        try await OutputWriter.makeFolder(folder.path + "/empty")
        await #expect(throws: CommandError.self) {
            try await BatchSource.all([folder.path + "/empty"], isRecursive: true)
        }
    }
}
