import CalotypeCore
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct TerminalImageTests {
    private func lines(_ pixels: [[UInt8]], width: Int) -> [String] {
        let bytes = pixels.flatMap { $0 }
        let size = PixelSize(width: width, height: pixels.count / width)
        let buffer = PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        return TerminalImage.lines(of: Image(size: size, pixelFormat: .rgba8, pixels: buffer))
    }

    private let red: [UInt8] = [255, 0, 0, 255]
    private let blue: [UInt8] = [0, 0, 255, 255]
    private let clear: [UInt8] = [9, 9, 9, 127]
    private let escape = "\u{1B}["

    @Test func `two vertically adjacent pixels are one character`() {
        #expect(lines([red, blue], width: 1) == [escape + "38;2;255;0;0;48;2;0;0;255m▀" + escape + "0m"])
    }

    @Test func `an unchanged colour is written once`() {
        let text = lines([red, red, blue, blue], width: 2)
        #expect(text == [escape + "38;2;255;0;0;48;2;0;0;255m▀▀" + escape + "0m"])
    }

    @Test func `transparent pixels show the terminal's background`() {
        #expect(lines([clear, clear], width: 1) == [" " + escape + "0m"])
        #expect(lines([red, clear], width: 1) == [escape + "38;2;255;0;0m▀" + escape + "0m"])
        #expect(lines([clear, blue], width: 1) == [escape + "38;2;0;0;255m▄" + escape + "0m"])
        let afterOpaque = lines([red, clear, red, clear], width: 2)
        let colors = escape + "38;2;255;0;0;48;2;255;0;0m▀"
        #expect(afterOpaque == [colors + escape + "49m " + escape + "0m"])
    }

    @Test func `an odd last row is drawn over the background`() {
        #expect(lines([red, red, red], width: 1).count == 2)
        #expect(lines([red, red, red], width: 1)[1] == escape + "38;2;255;0;0m▀" + escape + "0m")
    }
}
