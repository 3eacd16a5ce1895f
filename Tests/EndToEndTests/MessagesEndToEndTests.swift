import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

/// Messages for mistyped arguments, and tolerance for text files of editors.
@Suite(.gated) struct MessagesEndToEndTests {
    private let folder: ScratchFolder

    init() async throws {
        folder = try ScratchFolder()
        try await OutputFile.write(try Pictures.jpeg(), to: folder.path + "/a.jpg")
    }

    @Test(arguments: [
        (["thumbnail", "x"], "There is no command “thumbnail”; the commands are load, info, "),
        (["covnert", "a", "b"], "There is no command “covnert”; did you mean convert?"),
        (["cache", "stat"], "There is no command “cache stat”; did you mean stats?"),
        (["help", "lod"], "There is no command “lod”; did you mean load?"),
        (["convert", "a", "b.png", "-t", "resize=400x300"], "did you mean resize:fit=400x300?"),
        (["convert", "a", "b.png", "-w", "-3"], "--width and --height must be at least 1"),
        (["load", "a", "--height=-3"], "--width and --height must be at least 1"),
        (["load", "a", "--timeout", "-3"], "--timeout must be 0 to 86400 seconds"),
        (["load", "a", "-j", "-3"], "--concurrency must be 1...1000"),
        (["load", "a", "-q", "-3"], "--quality must be 0...100"),
        (["cache", "trim", "--size", "-1"], "-1"), (["decode", "a", "-o", "b.png", "--fit", "-3x3"], "-3x3"),
        (["show", "a", "--loops", "-1"], "--loops must be at least 1"),
    ])
    func `a mistake is reported with a remedy`(arguments: [String], message: String) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.status == 2 && outcome.output == "")
        #expect(outcome.errors.hasPrefix("error: ") && outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test(arguments: [
        ("convert a.jpg a.jpg", "calotype convert"), ("convert a.jpg -o x/ -w 0", "calotype convert"),
        ("load a.jpg --name x", "calotype load"),
        ("cache get", "calotype cache get"), ("cache stat", "calotype cache"), ("covnert", "calotype"),
        ("decode a.jpg -o - --json", "calotype decode"),
    ])
    func `a usage error refers to the help of its command`(line: String, command: String) async throws {
        let outcome = try await Tool.shell("calotype \(line)", in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("See '\(command) --help'"), "\(outcome.errors)")
    }

    @Test func `user and password of a URL appear in no message and no JSON`() async throws {
        let origin = try await LoopbackOrigin.start(routes: [
            "/a.jpg": .body(try Pictures.jpeg()), "/500.jpg": .status(500),
        ])
        let cache = ["--cache-dir", folder.path + "/cache"]
        for path in ["/a.jpg", "/500.jpg", "/none.jpg"] {
            let url = origin.url(path).absoluteString.replacing("http://", with: "http://user:secret@")
            for command in [["load"], ["show"], ["load", "-o", folder.path + "/out/", "--overwrite"]] {
                for json in [[], ["--json"]] {
                    let outcome = try await Tool.run(command + [url] + cache + json)
                    #expect(!(outcome.output + outcome.errors).contains("secret"), "\(command) \(outcome)")
                }
            }
        }
        await origin.close()
        for arguments in [
            ["load", "http://user:secret@127.0.0.1:1/a.jpg"], ["load", "ftp://user:secret@h/a"],
            ["load", "http://user:secret@/ ["],
            ["load", "http://h.invalid/a", "--proxy", "http://user:secret@127.0.0.1:1"],
            ["convert", "http://user:secret@h/a", "b.png"],
            ["load", "http://h.invalid/a", "--proxy", "http://user:secret@[1"],
            ["info", "http://user:secret@h/a"],
            ["cache", "path", "http://user:secret@h/a"],
            ["cache", "get", "http://user:secret@h/a", "-o", "x"],
            ["cache", "remove", "http://user:secret@h/a"],
        ] {
            for json in [[], ["--json"]] {
                let outcome = try await Tool.run(
                    arguments + (arguments[0] == "load" ? ["--retry", "0"] : []) + json
                        + (arguments[0] == "info" || arguments[0] == "convert" ? [] : cache)
                )
                #expect(!(outcome.output + outcome.errors).contains("secret"), "\(arguments) \(outcome)")
            }
        }
        for list in [["stats"], ["list"], ["verify"]] {
            let outcome = try await Tool.run(["cache"] + list + ["--json"] + cache)
            #expect(!(outcome.output + outcome.errors).contains("secret"), "\(list) \(outcome)")
        }
    }

    @Test func `files with names that are not UTF-8 are read and written`() async throws {
        let line = #"""
            name=$(printf 'caf\351'); mv a.jpg "$name.jpg"; mkdir "d$name"; cp "$name.jpg" "d$name"
            calotype info "$name.jpg" --json && calotype convert "$name.jpg" "$name.png" -w 20 --json
            calotype load "$name.jpg" --no-disk -o out/ -w 20 --json
            calotype convert -r "d$name" -o tree -w 20 --json
            printf '%s\n' "$name.jpg" > list; calotype load -i list --no-disk --json
            calotype decode "$name.png" -o "$name.rgba" --json
            test -s "$name.png" && test -s "out/$name.jpg" && test -s "tree/$name.jpg" \
                && test -s "$name.rgba" \
                && echo '{}'
            """#
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        let objects = try outcome.objects
        #expect(objects.count == 7)
        #expect(objects.allSatisfy { $0["error"] == nil })
        #expect(objects.first?["path"] as? String == "caf\\xE9.jpg")
    }

    @Test func `files in a folder with a name that is not UTF-8 are read`() async throws {
        let line = #"""
            name=$(printf 'caf\351'); mkdir "$name"; mv a.jpg "$name"; cd "$name"
            calotype info a.jpg --json && calotype convert a.jpg ./a.jpg -o out/ -w 20 --json
            calotype load a.jpg --no-disk -o a.webp --json && calotype decode a.webp -o a.rgba --json
            test -s out/a.jpg && test -s a.rgba
            """#
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try outcome.objects.allSatisfy { $0["error"] == nil })
    }

    @Test(
        arguments: [
            [0xEF, 0xBB, 0xBF] + Array("a.jpg\r\n".utf8), Array("\u{FEFF}# list\na.jpg\n".utf8),
            [0xFF, 0xFE] + Array("a.jpg\r\n".utf8).flatMap { [$0, 0] },
            [0xFE, 0xFF] + Array("a.jpg\n".utf8).flatMap { [0, $0] },
        ] as [[UInt8]]
    )
    func `a byte order mark is not part of a list's first line`(list: [UInt8]) async throws {
        try await OutputFile.write(Data(list), to: folder.path + "/list")
        let outcome = try await Tool.shell("calotype load -i list --no-disk --json", in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try outcome.objects.map { $0["url"] as? String } == ["a.jpg"])
    }

    @Test func `a byte order mark is not part of a settings file`() async throws {
        let line = #"""
            printf '\357\273\277{"log-level": "error"}' > c.json
            calotype serve --config c.json --print-config --json
            """#
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            try outcome.objects.contains {
                $0["setting"] as? String == "log-level" && $0["value"] as? String == "error"
            }
        )
    }
}
