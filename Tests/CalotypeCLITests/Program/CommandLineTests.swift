import ArgumentParser
import Calotype
import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct CommandLineTests {
    @Test func `the defaults of load match the documentation`() throws {
        let command = try LoadCommand.parse(["http://a/b.jpg"])
        #expect(command.maxConcurrency == 8)
        #expect(command.passCount == 1)
        #expect(command.mode == .fit)
        #expect(command.cache.namespace == "default")
        #expect(command.cachePolicy == .standard)
        #expect(command.cache.configuration.settings == nil)
        #expect(!command.output.json)
        #expect(command.network.maxRetryCount == RetryPolicy().maxRetryCount)
        #expect(command.network.headerTexts.isEmpty && !command.network.httpCache)
    }

    @Test func `a load waits for the store, so that a failed store is reported`() throws {
        let command = try LoadCommand.parse(["http://a/b.jpg"])
        #expect(try command.request(for: BatchSource("http://a/b.jpg")).waitsForStore)
    }

    @Test func `the options of load set the cache policy`() throws {
        #expect(try LoadCommand.parse(["a", "--refresh"]).cachePolicy == .refresh)
        #expect(try LoadCommand.parse(["a", "--only-from-cache"]).cachePolicy == .onlyFromCache)
        #expect(try LoadCommand.parse(["a", "--no-disk"]).cachePolicy == .memoryOnly)
        #expect(try LoadCommand.parse(["a", "--no-memory", "--no-disk"]).cachePolicy == .disabled)
    }

    @Test func `a size becomes a decode target, with open sides`() throws {
        let narrow = try LoadCommand.parse(["a", "--width", "320"])
        #expect(try narrow.request(for: BatchSource("a")).decoding.target == .fit(PixelBox(width: 320)))
        let covering = try LoadCommand.parse(["a", "--width", "3", "--height", "4", "--mode", "fill"])
        #expect(
            try covering.request(for: BatchSource("a")).decoding.target
                == .fill(PixelBox(width: 3, height: 4))
        )
        #expect(try LoadCommand.parse(["a"]).request(for: BatchSource("a")).decoding.target == .full)
    }

    @Test func `a refreshing load ignores past failures`() throws {
        #expect(try LoadCommand.parse(["a", "--refresh"]).request(for: BatchSource("a")).ignoresPastFailure)
        #expect(try !LoadCommand.parse(["a"]).request(for: BatchSource("a")).ignoresPastFailure)
    }

    @Test func `an encoding is part of the request when its format is known`() throws {
        func encoding(_ arguments: String...) throws -> ImageEncoding? {
            let command = try LoadCommand.parse(["a"] + arguments)
            let target = try command.destination.map { try OutputTarget($0, sources: [BatchSource("a")]) }
            return try command.request(for: BatchSource("a"), to: target).encoding
        }
        #expect(
            try encoding("--format", "webp", "--quality", "70") == ImageEncoding(WebPEncoder(quality: 70))
        )
        #expect(try encoding("--width", "9", "--output", "b.png") == ImageEncoding(PNGEncoder()))
        #expect(try encoding("--quality", "9", "--output", "b.jpg") == ImageEncoding(JPEGEncoder(quality: 9)))
        #expect(
            try encoding("--format", "jpeg", "--progressive", "--background", "f80", "--max-bytes", "9kB")
                == ImageEncoding(
                    JPEGEncoder(
                        isProgressive: true,
                        options: EncodeOptions(
                            maxByteCount: 9000,
                            background: RGBColor(red: 255, green: 136, blue: 0)
                        )
                    )
                )
        )
        #expect(
            try encoding("--output", "b.webp", "--lossless", "--effort", "9")
                == ImageEncoding(WebPEncoder(isLossless: true, effort: 6))
        )
        #expect(throws: EncodeError.self) { try encoding("--format", "webp", "--progressive") }
        #expect(try encoding("--output", "b.png") == nil)
        #expect(try encoding("--width", "9", "--output", "folder/") == nil)
        #expect(throws: (any Error).self) { try encoding("--format", "svg") }
    }

    @Test(arguments: [
        ("Accept: image/webp", "Accept", "image/webp"), ("X-A:b:c", "X-A", "b:c"), ("x:", "x", ""),
        ("Cookie: \t a=b; c=d \t", "Cookie", "a=b; c=d"), ("X: ü", "X", "ü"),
    ])
    func `a header field is a name, a colon and a value`(text: String, name: String, value: String) throws {
        let command = try LoadCommand.parse(["a", "--header", text, "--header", "Y: z"])
        #expect(
            try command.request(for: BatchSource("a")).headers == [
                HeaderField(name, value), HeaderField("Y", "z"),
            ]
        )
    }

    @Test(arguments: [
        "", "Accept", ": v", "a b: c", "ä: b", "X: a\nb", "X: a\rb", "X: a\r\nHost: b", "X: \0",
        "Host: a", "content-length: 1", "Range: bytes=0-9", "If-None-Match: \"a\"",
    ])
    func `an invalid header field, or one that the program sets, is rejected`(text: String) {
        #expect(throws: (any Error).self) { try LoadCommand.parse(["a", "--header", text]) }
    }

    @Test(arguments: [
        ["load"], ["load", "a", "--width", "0"], ["load", "a", "--height", "-1"],
        ["load", "a", "--repeat", "0"],
        ["load", "a", "--concurrency", "0"], ["load", "a", "--mode", "stretch"],
        ["load", "a", "--format", "docx"], ["load", "a", "--quality", "101"],
        ["load", "a", "--effort", "10"], ["load", "a", "--effort", "-1"],
        ["load", "a", "--max-bytes", "0"], ["load", "a", "--background", "clear"],
        ["convert", "a", "b.png", "--background", "none"],
        ["load", "a", "--retry", "-1"], ["load", "a", "--timeout", "0"], ["load", "a", "--timeout", "nan"],
        ["load", "a", "--timeout", "1e9"], ["load", "a", "--retry", "101"], ["load", "a", "--preview", ""],
        ["load", "a", "--refresh", "--only-from-cache"], ["load", "a", "--namespace", "a/b"],
        ["load", "a", "--namespace", ".hidden"], ["load", "a", "--cache-dir", ""], ["info"],
        ["decode", "a"], ["decode", "a", "--output", "b.xyz"],
        ["decode", "a", "--frame", "-1", "--output", "b.png"],
        ["decode", "a", "--fit", "3", "--output", "b.png"],
        ["convert", "a"], ["convert", "a", "b"], ["convert", "a", "b.png", "--max-bytes", "0"],
        ["cache", "path"], ["cache", "get", "k"], ["cache", "put", "k"], ["cache", "trim", "--size", "-1"],
        ["cache", "nonsense"], ["nonsense"], ["load", "a", "--nonsense"],
    ])
    func `invalid arguments are rejected`(arguments: [String]) {
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
    func `parsing an invalid box returns nil`(text: String) {
        #expect(FitArgument(argument: text) == nil)
    }

    @Test func `a format is recognised by its spelling and by the usual extensions`() {
        #expect(FormatName(argument: "JPG")?.format == .jpeg)
        #expect(FormatName(argument: "webp")?.format == .webP)
        #expect(FormatName(argument: "tif")?.format == .tiff)
        #expect(FormatName(argument: "doc") == nil)
        #expect(FormatName(extensionOf: "a.b/c.PNG")?.format == .png)
        #expect(FormatName(extensionOf: "a.png/c") == nil)
        #expect(FormatName(extensionOf: "png") == nil)
    }
}
