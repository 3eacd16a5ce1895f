import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeCLI

@Suite struct ShowEndToEndTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private func run(_ arguments: String...) async throws -> Tool.Outcome {
        try await Tool.run(["show", "--cache-dir", folder.path + "/cache"] + arguments)
    }

    @Test func `a picture is drawn as wide as was asked, two rows a line`() async throws {
        let path = folder.path + "/a.png"
        try await OutputFile.write(try Pictures.png(), to: path)
        let outcome = try await run(path, "--width", "32")
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 12)
        #expect(lines.allSatisfy { $0.count { $0 == "▀" } == 32 })
    }

    @Test func `JSON tells about the picture instead of drawing it`() async throws {
        let path = folder.path + "/a.png"
        try await OutputFile.write(try Pictures.png(), to: path)
        let object = try #require(try await run(path, "--json").objects.first)
        #expect(object["frames"] as? Int == 1 && object["format"] as? String == "png")
    }

    @Test func `what cannot be loaded is one line and a status`() async throws {
        let outcome = try await run(folder.path + "/none.png")
        #expect(outcome.status == 1 && outcome.output.isEmpty && outcome.errorLines.count == 1)
        #expect(try await run("a.png", "--width", "0").status == 2)
    }
}
