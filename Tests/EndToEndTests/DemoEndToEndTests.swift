import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct DemoEndToEndTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/pictures/more",
            withIntermediateDirectories: true
        )
    }

    @Test func `the demo of a folder shows three passes and writes a contact sheet`() async throws {
        try await OutputFile.write(try Pictures.jpeg(), to: folder.path + "/pictures/a b#1.jpg")
        try await OutputFile.write(try Pictures.png(), to: folder.path + "/pictures/more/b.png")
        try await OutputFile.write(Data("text".utf8), to: folder.path + "/pictures/notes.txt")
        let sheet = folder.path + "/sheet.png"
        let outcome = try await Tool.run("demo", folder.path + "/pictures", "--output", sheet, "--json")
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        let rows = try outcome.objects
        #expect(rows.map { $0["source"] as? String } == ["network", "disk", "memory"])
        for row in rows {
            #expect(row["pictures"] as? Int == 2 && row["hits"] as? Int == 2)
            #expect(try row["bytes"] as? Int == Pictures.jpeg().count + Pictures.png().count)
            #expect(row["medianMs"] is Double && row["totalMs"] is Double)
        }
        let image = try CodecRegistry.standard.decode(Data(contentsOf: URL(filePath: sheet)))
        #expect(image.size == ContactSheet([image, image]).size)
    }

    @Test func `the demo includes file names that are not UTF-8, and excludes its own sheets`() async throws {
        try await OutputFile.write(try Pictures.jpeg(), to: folder.path + "/a.jpg")
        let line = #"""
            name=$(printf 'caf\351'); mkdir "$name"; mv a.jpg "$name/$name%41.jpg"
            cd "$name" && for i in 1 2 3; do calotype demo . --json; done
            """#
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try outcome.objects.map { $0["hits"] as? Int } == Array(repeating: 1, count: 9))
    }

    @Test func `an image that cannot be loaded fails the demo`() async throws {
        try await OutputFile.write(try Pictures.jpeg(), to: folder.path + "/pictures/a.jpg")
        try await OutputFile.write(Data("text".utf8), to: folder.path + "/pictures/b.png")
        let outcome = try await Tool.run(
            "demo",
            folder.path + "/pictures",
            "--output",
            folder.path + "/sheet.png",
            "--json"
        )
        #expect(outcome.status == 1)
        #expect(try outcome.objects.map { $0["hits"] as? Int } == [1, 1, 1])
        #expect(outcome.errors.contains("b.png: unrecognizedFormat: "))
    }

    @Test func `a demo without any loaded image writes no sheet`() async throws {
        try await OutputFile.write(Data("text".utf8), to: folder.path + "/pictures/b.png")
        let outcome = try await Tool.shell("calotype demo pictures", in: folder)
        #expect(outcome.status == 1)
        #expect(try folder.files() == ["pictures/b.png"])
    }

    @Test func `a folder without images is an error`() async throws {
        let outcome = try await Tool.run("demo", folder.path + "/pictures")
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("error: nothingFound: "))
    }
}
