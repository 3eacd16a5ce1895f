import ArgumentParser
import Calotype
import CalotypeCodecs
import CalotypeCore
import Testing

@testable import CalotypeCLI

@Suite struct CommandLineTests {
    @Test func `the defaults of load are those of the contract`() throws {
        let command = try LoadCommand.parse(["http://a/b.jpg"])
        #expect(command.concurrencyMax == 8)
        #expect(command.passCount == 1)
        #expect(command.mode == .fit)
        #expect(command.cache.namespace == "default")
        #expect(command.cachePolicy == .standard)
        #expect(command.cache.configuration.settings == nil)
        #expect(!command.output.json)
    }

    @Test func `a load waits for the store, so that a failure to store is told`() throws {
        let command = try LoadCommand.parse(["http://a/b.jpg"])
        #expect(try #require(command.request(for: "http://a/b.jpg")).waitsForStore)
    }

    @Test func `the options of load decide which layers are asked and filled`() throws {
        #expect(try LoadCommand.parse(["a", "--refresh"]).cachePolicy == .refresh)
        #expect(try LoadCommand.parse(["a", "--only-from-cache"]).cachePolicy == .onlyFromCache)
        #expect(try LoadCommand.parse(["a", "--no-disk"]).cachePolicy == .memoryOnly)
        #expect(try LoadCommand.parse(["a", "--no-memory", "--no-disk"]).cachePolicy == .disabled)
    }

    @Test func `a size becomes a decode target, with open sides`() throws {
        let narrow = try LoadCommand.parse(["a", "--width", "320"])
        #expect(narrow.request(for: "a")?.decoding.target == .fit(PixelBox(width: 320)))
        let covering = try LoadCommand.parse(["a", "--width", "3", "--height", "4", "--mode", "fill"])
        #expect(covering.request(for: "a")?.decoding.target == .fill(PixelBox(width: 3, height: 4)))
        #expect(try LoadCommand.parse(["a"]).request(for: "a")?.decoding.target == .full)
    }

    @Test(arguments: [
        ["load"], ["load", "a", "--width", "0"], ["load", "a", "--height", "-1"],
        ["load", "a", "--repeat", "0"],
        ["load", "a", "--concurrency", "0"], ["load", "a", "--mode", "stretch"],
        ["load", "a", "--format", "docx"], ["load", "a", "--quality", "101"],
        ["load", "a", "--refresh", "--only-from-cache"], ["load", "a", "--namespace", "a/b"],
        ["load", "a", "--namespace", ".hidden"], ["load", "a", "--cache-dir", ""], ["info"],
        ["decode", "a"], ["decode", "a", "--output", "b.xyz"],
        ["decode", "a", "--frame", "-1", "--output", "b.png"],
        ["decode", "a", "--fit", "3", "--output", "b.png"],
        ["convert", "a"], ["convert", "a", "b"], ["convert", "a", "b.png", "--max-bytes", "0"],
        ["cache", "path"], ["cache", "get", "k"], ["cache", "put", "k"], ["cache", "trim", "--size", "-1"],
        ["cache", "nonsense"], ["nonsense"], ["load", "a", "--nonsense"],
    ])
    func `arguments that make no sense are refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try CalotypeCommand.parseAsRoot(arguments) }
    }

    @Test(arguments: [
        ("400x300", PixelBox(width: 400, height: 300)), ("400x", PixelBox(width: 400)),
        ("X300", PixelBox(height: 300)),
    ])
    func `a box is understood with either side open`(text: String, box: PixelBox) {
        #expect(FitArgument(argument: text)?.box == box)
    }

    @Test(arguments: ["", "x", "400", "0x3", "3x0", "-3x3", "axb", "1x2x3", "99999999999999999999x1"])
    func `what is no box is refused`(text: String) {
        #expect(FitArgument(argument: text) == nil)
    }

    @Test func `a format is known by its spelling and by the usual extensions`() {
        #expect(FormatName(argument: "JPG")?.format == .jpeg)
        #expect(FormatName(argument: "webp")?.format == .webP)
        #expect(FormatName(argument: "tif")?.format == .tiff)
        #expect(FormatName(argument: "doc") == nil)
        #expect(FormatName(extensionOf: "a.b/c.PNG")?.format == .png)
        #expect(FormatName(extensionOf: "a.png/c") == nil)
        #expect(FormatName(extensionOf: "png") == nil)
    }
}
