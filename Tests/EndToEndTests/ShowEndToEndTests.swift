import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct ShowEndToEndTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private func run(_ arguments: String...) async throws -> Tool.Outcome {
        try await Tool.run(["show", "--cache-dir", folder.path + "/cache"] + arguments)
    }

    @Test func `an image is drawn at the requested width, two rows per line`() async throws {
        let path = folder.path + "/a.png"
        try await OutputFile.write(try Pictures.png(), to: path)
        let outcome = try await run(path, "--width", "32")
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 12)
        #expect(lines.allSatisfy { $0.count { $0 == "▀" } == 32 })
    }

    @Test func `a terminal shows a slow image progressively in one position`() async throws {
        let picture = try SlowPicture()
        let origin = try await LoopbackOrigin.start(routes: ["/a.jpg": picture.response])
        async let sent: Void = picture.send()
        let arguments = ["show", origin.url("/a.jpg").absoluteString, "--cache-dir", folder.path + "/cache"]
        let (status, text) = try await Terminal.run(arguments)
        await sent
        await origin.close()
        #expect(status == 0)
        #expect(text.hasPrefix(TerminalCanvas.hideCursor) && text.hasSuffix(TerminalCanvas.showCursor))
        // 23 lines are free; each image after the first is drawn over them.
        let drawnCount = text.components(separatedBy: "\u{1B}[J").count - 1
        #expect(drawnCount >= 1)
        #expect(text.components(separatedBy: "\u{1B}[23A").count == drawnCount)
    }

    @Test func `an animation plays as often as requested, each frame over the last`() async throws {
        let frames = FakeFrameSource(
            frameCount: 3,
            size: PixelSize(width: 40, height: 30),
            valueStep: 50,
            durations: [.milliseconds(20)]
        )
        let still = try CodecRegistry.standard.decode(Pictures.png())
        let path = folder.path + "/a.png"
        let encoded = try PNGEncoder().encode(still.replacing(animation: Animation(source: frames)))
        try await OutputFile.write(encoded, to: path)
        let arguments = ["show", path, "--loops", "2", "--cache-dir", folder.path + "/cache"]
        let (status, text) = try await Terminal.run(arguments)
        #expect(status == 0)
        #expect(text.components(separatedBy: "\u{1B}[J").count - 1 >= 6)
        #expect(try await run(path).output.components(separatedBy: "\u{1B}[J").count == 1)
    }

    @Test func `JSON describes the image instead of drawing it`() async throws {
        let path = folder.path + "/a.png"
        try await OutputFile.write(try Pictures.png(), to: path)
        let object = try #require(try await run(path, "--json").objects.first)
        #expect(object["frames"] as? Int == 1 && object["format"] as? String == "png")
    }

    @Test func `a failed load is one line and a status`() async throws {
        let outcome = try await run(folder.path + "/none.png")
        #expect(outcome.status == 1 && outcome.output.isEmpty && outcome.errorLines.count == 1)
        #expect(try await run("a.png", "--width", "0").status == 2)
    }
}
