import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct OutputPlacesEndToEndTests {
    private let folder: ScratchFolder

    init() async throws {
        folder = try ScratchFolder()
        try await OutputFile.write(try Pictures.jpeg(seed: 1), to: folder.path + "/a.jpg")
        try await OutputFile.write(try Pictures.jpeg(seed: 2), to: folder.path + "/b.jpg")
        try await OutputFile.write(try Pictures.png(), to: folder.path + "/c.png")
    }

    private func files(_ name: String) throws -> [String] {
        try folder.files().filter { $0.hasPrefix(name + "/") }.map { String($0.dropFirst(name.count + 1)) }
    }

    @Test(
        arguments: ["convert", "load --no-disk"],
        [
            "-r ph -o ph", "-r ph/ -o ./ph/", "-r ph -o link", "-r link -o ph", "-r ph/sub -o ph",
            "-r ph a.jpg -o ph/sub/..", "-r other ph -o ph", "-r nested -o nested",
        ]
    )
    func `results inside a walked folder are refused`(command: String, places: String)
        async throws
    {
        let line = """
            mkdir -p ph/sub/sub other nested/deep && cp a.jpg ph && cp b.jpg ph/sub && cp c.png ph/sub/sub \
            && cp a.jpg other && cp a.jpg nested/deep && ln -s ph link
            """
        _ = try await Tool.shell(line, in: folder)
        let before = try folder.files()
        for options in ["-f webp", "-f webp --skip-existing", "-f webp --overwrite", "-w 8"] {
            let outcome = try await Tool.shell("calotype \(command) \(places) \(options)", in: folder)
            #expect(outcome.status == 2, "\(options): \(outcome)")
            #expect(outcome.errors.contains("name a folder outside of it"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("--skip-existing"))
            #expect(try folder.files() == before)
        }
    }

    @Test func `an output folder within the input is excluded from the walk`() async throws {
        let line = """
            mkdir ph && cp a.jpg ph && for i in 1 2 3; do \
            calotype convert -r ph -o ph/small -f webp --skip-existing > out || exit 9; done
            """
        #expect(try await Tool.shell(line, in: folder).status == 0)
        #expect(try files("ph") == ["a.jpg", "small/a.webp"])
    }

    @Test func `results matched by a glob are not converted again`() async throws {
        let line =
            "mkdir ph && cp a.jpg b.jpg ph; for i in 1 2 3; do calotype convert ph/* -o ph -f webp; done"
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.errors.contains("isInput"))
        #expect(try files("ph") == ["a.jpg", "a.webp", "b.jpg", "b.webp"])
    }

    @Test(arguments: ["convert", "load --no-disk"])
    func `a file with several spellings counts once`(command: String) async throws {
        let line = """
            mkdir n && ln -s .. n/up && \
            calotype \(command) a.jpg ./a.jpg n/../a.jpg n/up/a.jpg $PWD/a.jpg -o out -w 20 --json
            """
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        let objects = try outcome.objects
        #expect(objects.map { $0["path"] as? String } == Array(repeating: "out/a.jpg", count: 5))
        #expect(objects.map { $0["url"] as? String }.prefix(2) == ["a.jpg", "./a.jpg"])
        #expect(try files("out") == ["a.jpg"])
    }

    @Test func `the result name does not depend on the spelling of its source`() async throws {
        let line = """
            mkdir x y && cp a.jpg x/p.jpg && cp b.jpg y/p.jpg
            calotype convert x/p.jpg y/p.jpg -o one -f webp
            calotype convert ./x/../x/p.jpg $PWD/y/p.jpg -o two -f webp
            cd x && calotype convert ../y//p.jpg p.jpg -o ../three -f webp
            """
        #expect(try await Tool.shell(line, in: folder).status == 0)
        #expect(try files("one").count == 2)
        #expect(try files("one") == files("two") && files("one") == files("three"))
    }

    @Test(arguments: ["convert", "load --no-disk"])
    func `names that differ by their extension do not clash`(command: String) async throws {
        let line = """
            mkdir m && cp a.jpg m/p.jpg && cp c.png m/p.png && cp c.png m/q.jpg && cp c.png m/q.png
            calotype \(command) m/p.jpg m/p.png -o out -w 20
            calotype \(command) m/q.jpg m/q.png -o q -w 20
            calotype \(command) m/q.jpg m/q.png -o q -w 20 --skip-existing --json
            """
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try files("out") == ["p.jpg", "p.png"])
        // By the content of the files, not by their names.
        #expect(try files("q").count == 2 && files("q").allSatisfy { $0.hasPrefix("q-") })
        #expect(outcome.output.split(separator: "\n").count { $0.contains("\"skipped\":true") } == 2)
    }

    @Test func `digest names stay when other inputs are added`() async throws {
        let line = """
            mkdir x y && cp a.jpg x/p.jpg && cp b.jpg y/p.jpg
            calotype convert x/p.jpg -o out/ -f webp --name '{name}-{digest}'
            calotype convert y/p.jpg x/p.jpg -o out/ -f webp --name '{name}-{digest}' --skip-existing --json
            """
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0 && outcome.output.contains("\"skipped\":true"), "\(outcome)")
        #expect(try files("out").count == 2)
    }

    @Test(arguments: [
        "convert IMG:1.jpg -o out/ -w 20", "load IMG:1.jpg --no-disk -o out/ -w 20",
        "convert -r ab:dir -o out/ -w 20", "load -r ab:dir --no-disk -o out/ -w 20",
        "load http:1.jpg --no-disk -o out/ -w 20", "convert http:1.jpg -o out/ -w 20",
        "convert data:x/IMG:1.jpg -o out/ -w 20",
    ])
    func `a local name with a colon is a path`(command: String) async throws {
        let line = """
            mkdir ab:dir data:x && cp a.jpg IMG:1.jpg && cp a.jpg http:1.jpg && cp a.jpg ab:dir/IMG:1.jpg \
            && cp a.jpg data:x/IMG:1.jpg && calotype \(command)
            """
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try files("out") == [command.contains("http:") ? "http:1.jpg" : "IMG:1.jpg"])
    }

    @Test(arguments: ["info IMG:1.jpg", "show IMG:1.jpg", "load IMG:1.jpg --no-disk", "info -r ab:dir"])
    func `every command accepts a local name with a colon`(command: String) async throws {
        let line = "mkdir ab:dir && cp a.jpg IMG:1.jpg && cp a.jpg ab:dir && calotype \(command)"
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
    }

    @Test func `a local name never replaces a URL of the web`() async throws {
        let line = """
            mkdir -p http:/127.0.0.1:1 && cp a.jpg http:/127.0.0.1:1/a.jpg \
            && calotype load http://127.0.0.1:1/a.jpg --no-disk --retry 0
            """
        #expect(try await Tool.shell(line, in: folder).status == 1)
    }

    @Test(arguments: [
        "decode a.jpg -o x.png/", "decode a.jpg -o x.png//", "transforms --sheet x.png/",
        "cache get key -o x.png/ --cache-dir cache", "decode a.jpg -o old.png/",
        "decode a.jpg -o old.png/ --overwrite", "cache get key -o old.png/ --cache-dir cache --overwrite",
    ])
    func `an output that ends with a slash is a folder`(command: String) async throws {
        let line = """
            mkdir pictures && cp a.jpg pictures && echo old > old.png \
            && calotype cache put key a.jpg --cache-dir cache > out
            """
        _ = try await Tool.shell(line, in: folder)
        let before = try folder.files()
        let outcome = try await Tool.shell("calotype \(command)", in: folder)
        #expect(outcome.status == 1 && outcome.errors.contains("ends with “/”"), "\(outcome)")
        #expect(
            try folder.files().filter { !$0.hasPrefix("cache/") } == before.filter { !$0.hasPrefix("cache/") }
        )
    }

    @Test(arguments: ["convert a.jpg", "load a.jpg --no-disk"])
    func `an output without an extension is reported to be a file`(command: String) async throws {
        let outcome = try await Tool.shell("calotype \(command) -o thumbs -f webp", in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("warning: thumbs is a file; a folder ends with “/”"), "\(outcome)")
        #expect(outcome.output.contains("thumbs"))
        #expect(try folder.files().contains("thumbs"))
    }

    @Test(arguments: ["convert", "load --no-disk"])
    func `no empty folder is created if nothing is written`(command: String) async throws {
        let line = "echo no > no.jpg; calotype \(command) no.jpg -o x/y/z/ -w 8; test -e x"
        #expect(try await Tool.shell(line, in: folder).status == 1)
        let tree = "mkdir -p t/u && cp no.jpg t/u; calotype \(command) -r t -o x -w 8; test -e x"
        #expect(try await Tool.shell("echo no > no.jpg; \(tree)", in: folder).status == 1)
        let own = "mkdir -p own && calotype \(command) no.jpg -o own/ -w 8; test -d own"
        #expect(try await Tool.shell(own, in: folder).status == 0)
    }

    @Test(arguments: [
        "convert a.jpg dangling.png", "convert a.jpg -o dangling.png --overwrite",
        "load a.jpg --no-disk -o dangling.png", "decode a.jpg -o dangling.png",
        "convert a.jpg -o loop.png", "convert a.jpg -o nowhere/ -f webp", "convert a.jpg b.jpg -o nowhere",
    ])
    func `a dangling link is named with its target and a remedy`(command: String) async throws {
        let line = "ln -s none.png dangling.png; ln -s loop.png loop.png; ln -s none nowhere"
        let outcome = try await Tool.shell("\(line); calotype \(command)", in: folder)
        #expect([1, 2].contains(outcome.status))
        #expect(outcome.errors.contains("symbolic link to ") && outcome.errors.contains("remove the link"))
        #expect(!outcome.errors.contains("--overwrite"), "\(outcome.errors)")
    }
}
