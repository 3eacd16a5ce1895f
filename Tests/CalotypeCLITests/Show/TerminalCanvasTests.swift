import CalotypeCore
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct TerminalCanvasTests {
    private func image(height: Int) -> Image {
        let buffer = PixelBuffer(byteCount: height * 4) {
            $0.copyBytes(from: [UInt8](repeating: 255, count: height * 4))
        }
        return Image(size: PixelSize(width: 1, height: height), pixelFormat: .rgba8, pixels: buffer)
    }

    private let escape = "\u{1B}["

    @Test func `the first image is drawn at the cursor`() {
        var canvas = TerminalCanvas(terminalLineCount: 24)
        let text = canvas.text(drawing: image(height: 2))
        #expect(!text.contains("A"))
        #expect(text.hasSuffix("▀\(escape)0m\(escape)K\n\(escape)J"))
    }

    @Test func `each further image is drawn over the previous one, whatever its height`() {
        var canvas = TerminalCanvas(terminalLineCount: 24)
        _ = canvas.text(drawing: image(height: 5))
        #expect(canvas.text(drawing: image(height: 2)).hasPrefix("\(escape)3A"))
        #expect(canvas.text(drawing: image(height: 2)).hasPrefix("\(escape)1A"))
    }

    @Test func `an image as high as the terminal cannot be drawn over`() {
        let canvas = TerminalCanvas(terminalLineCount: 3)
        #expect(canvas.canReplace(image(height: 4)))
        #expect(!canvas.canReplace(image(height: 5)))
    }
}
