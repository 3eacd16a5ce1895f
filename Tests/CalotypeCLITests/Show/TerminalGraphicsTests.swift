import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct TerminalGraphicsTests {
    private static let cell = PixelSize(width: 8, height: 16)

    private func image(_ width: Int, _ height: Int) -> Image {
        let bytes = (0..<width * height * 4).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let buffer = PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        return Image(size: PixelSize(width: width, height: height), pixelFormat: .rgba8, pixels: buffer)
    }

    @Test(arguments: [
        (["KITTY_WINDOW_ID": "1"], true), (["TERM": "xterm-kitty"], true),
        (["TERM_PROGRAM": "WezTerm"], true),
        (["TERM": "xterm-256color"], false), ([:], false),
        (["TERM": "xterm-kitty", "TMUX": "/tmp/a"], false),
    ])
    func `pixel graphics are used if the environment names a terminal that has them`(
        environment: [String: String],
        hasPixels: Bool
    ) {
        let graphics = TerminalGraphics(.auto, cell: Self.cell, environment: environment)
        #expect((graphics == .kitty(cell: Self.cell)) == hasPixels)
    }

    @Test func `an explicit choice takes precedence`() {
        let environment = ["TERM": "xterm-kitty"]
        #expect(TerminalGraphics(.blocks, cell: nil, environment: environment) == .blocks)
        let asked = TerminalGraphics(.kitty, cell: nil, environment: [:])
        #expect(asked == .kitty(cell: PixelSize(width: 10, height: 20)))
    }

    @Test func `an image occupies the lines that its pixels need`() {
        let graphics = TerminalGraphics.kitty(cell: Self.cell)
        #expect(graphics.place(of: image(17, 33)) == (3, 3))
        #expect(TerminalGraphics.blocks.place(of: image(17, 33)) == (17, 17))
    }

    @Test func `pixels are sent in commands of at most 4,096 characters`() throws {
        let picture = image(64, 48)
        let text = TerminalGraphics.kitty(cell: Self.cell).text(drawing: picture)
        #expect(text.hasPrefix("\n\n\n\u{1B}[3A\u{1B}_Ga=T,f=32,s=64,v=48,c=8,r=3,"))
        #expect(text.hasSuffix("m=0;\(text.split(separator: ";").last ?? "")") && text.hasSuffix("\u{1B}[3B"))
        let commands = text.components(separatedBy: "\u{1B}_G").dropFirst()
        let payloads = commands.compactMap {
            $0.components(separatedBy: "\u{1B}\\").first?.split(separator: ";").last
        }
        #expect(payloads.allSatisfy { $0.count <= 4096 })
        #expect(commands.dropLast().allSatisfy { $0.contains("m=1;") })
        let bytes = try payloads.reduce(into: Data()) { $0 += try #require(Data(base64Encoded: String($1))) }
        #expect(bytes == picture.rgba8())
    }

    @Test func `an image is drawn over the previous one, and replaces it`() {
        var canvas = TerminalCanvas(terminalLineCount: 24, graphics: .kitty(cell: Self.cell))
        _ = canvas.text(drawing: image(8, 40))
        let text = canvas.text(drawing: image(8, 16))
        #expect(text.hasPrefix("\u{1B}[3A\n\u{1B}[1A\u{1B}_G") && text.contains("i=1,"))
    }
}
