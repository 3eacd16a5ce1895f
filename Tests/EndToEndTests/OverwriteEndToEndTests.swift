import CalotypeCodecs
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

/// No command loses a file, whatever the name of its output.
@Suite(.gated) struct OverwriteEndToEndTests {
    private let folder: ScratchFolder
    private let first: Data
    private let second: Data

    init() async throws {
        folder = try ScratchFolder()
        (first, second) = (try Pictures.jpeg(seed: 1), try Pictures.jpeg(seed: 2))
        try await OutputFile.write(first, to: folder.path + "/a.jpg")
        try await OutputFile.write(second, to: folder.path + "/b.jpg")
        try await OutputWriter.makeFolder(folder.path + "/sub")
        let links = "ln a.jpg hard.jpg; ln -s a.jpg soft.jpg; ln -s . linked; ln -s none.png dangling.png"
        _ = try await Tool.shell(links, in: folder)
    }

    private func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: folder.path + "/" + name))
    }

    private func expectOriginals(_ comment: String) throws {
        #expect(try bytes("a.jpg") == first, "\(comment)")
        #expect(try bytes("b.jpg") == second, "\(comment)")
        #expect(try bytes("soft.jpg") == first, "\(comment)")
        #expect(try !folder.files().contains { $0.hasSuffix(".tmp") }, "\(comment)")
    }

    @Test func `two files of a glob do not count as input and output`() async throws {
        for options in ["-f webp -w 20", "-w 20", "--overwrite", "-f jpeg --overwrite", "--skip-existing"] {
            let outcome = try await Tool.shell(
                "rm -f hard.jpg soft.jpg; calotype convert *.jpg \(options)",
                in: folder
            )
            #expect(outcome.status == 2 && outcome.output == "", "\(options)")
            #expect(outcome.errors.contains("b.jpg"))
            _ = try await Tool.shell("ln -s a.jpg soft.jpg", in: folder)
            try expectOriginals(options)
        }
    }

    @Test(arguments: [
        "-o a.jpg", "-o ./a.jpg", "-o sub/../a.jpg", "-o .//a.jpg", "-o $PWD/a.jpg", "-o hard.jpg",
        "-o soft.jpg",
        "-o linked/a.jpg", "-o linked/hard.jpg", "-o .", "-o ./", "-o linked", "-o linked/",
    ])
    func `an input is never the output, under any of its names`(output: String) async throws {
        // The rule itself is tested with each name and each flag by ``OutputWriterTests``.
        for (command, flags) in [
            ("convert a.jpg -w 20", ["--overwrite", "--skip-existing"]),
            ("load a.jpg --no-disk -w 20", ["--overwrite"]),
        ] {
            for flag in flags {
                let line = "calotype \(command) \(output) \(flag) --json"
                let outcome = try await Tool.shell(line, in: folder)
                #expect(outcome.status == 1, "\(line)")
                #expect(
                    try (outcome.objects.first?["error"] as? String)?.hasPrefix("isInput: ") == true,
                    "\(line)"
                )
                try expectOriginals(line)
            }
        }
    }

    @Test func `an output in a batch does not replace another image's input`() async throws {
        // The result of a.png would replace the input a.jpg.
        let line = """
            cp b.jpg c.jpg && calotype convert b.jpg x.png -w 20 && mv x.png a.png \
            && calotype convert a.png a.jpg b.jpg -f jpeg -o . --overwrite --name b
            """
        _ = try await Tool.shell(line, in: folder)
        try expectOriginals(line)
        let second = "calotype convert a.png b.jpg -f jpeg -o . --overwrite"
        let outcome = try await Tool.shell(second, in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("isInput") || outcome.errors.contains("exists"))
    }

    @Test(arguments: [
        "convert a.jpg -f jpeg -o b.jpg", "convert a.jpg b.jpg", "convert a.jpg soft.jpg",
        "convert a.jpg dangling.png",
        "convert a.jpg sub", "load a.jpg --no-disk -w 20 -o b.jpg", "load a.jpg --no-disk -o b.jpg",
        "decode a.jpg -o b.jpg", "decode a.jpg -o dangling.png", "transforms --sheet b.jpg",
        "cache get key -o b.jpg --cache-dir cache",
    ])
    func `an existing file is not replaced without --overwrite`(command: String) async throws {
        _ = try await Tool.shell("calotype cache put key a.jpg --cache-dir cache", in: folder)
        let outcome = try await Tool.shell("calotype \(command)", in: folder)
        #expect(outcome.status == 1 || outcome.status == 2, "\(outcome)")
        let reasons = ["exist", "symbolic link", "use --output FOLDER/"]
        #expect(reasons.contains { outcome.errors.contains($0) }, "\(outcome)")
        try expectOriginals(command)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/none.png"))
    }

    @Test(arguments: [
        "convert a.jpg -w 20 -o old.png", "load a.jpg --no-disk -w 20 -o old.png", "decode a.jpg -o old.png",
        "transforms --sheet old.png", "cache get key -o old.png --cache-dir cache",
    ])
    func `an existing file is replaced with --overwrite`(command: String) async throws {
        let preparation = """
            mkdir pictures && cp a.jpg pictures && echo old > old.png \
            && calotype cache put key a.jpg --cache-dir cache
            """
        _ = try await Tool.shell(preparation, in: folder)
        let outcome = try await Tool.shell("calotype \(command) --overwrite", in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try bytes("old.png") != Data("old\n".utf8))
        try expectOriginals(command)
    }

    @Test(arguments: [
        "convert b.jpg -t overlay:file=a.jpg -o a.jpg", "decode a.jpg -o a.jpg", "decode a.jpg -o soft.jpg",
        "load -i list --no-disk -o list", "transforms --picture a.jpg --sheet hard.jpg",
        "convert - -f jpeg -o a.jpg < a.jpg", "convert /dev/stdin -o a.jpg < a.jpg",
        "load file://$PWD/a.jpg --no-disk -w 20 -o a.jpg", "convert a.jpg - -f webp 1<> a.jpg",
        "convert a.jpg /dev/stdout -f webp 1<> a.jpg", "load b.jpg --no-disk --cacert a.jpg -o a.jpg",
    ])
    func `every file that a command reads counts as an input`(command: String) async throws {
        _ = try await Tool.shell("rm -f sub/*; echo b.jpg > list", in: folder)
        let (words, redirection) = (command.prefix { $0 != "<" }, command.drop { $0 != "<" })
        let line =
            redirection.isEmpty || command.contains("1<>") ? command : "\(words) --overwrite \(redirection)"
        let outcome = try await Tool.shell(
            "calotype \(line) \(redirection.isEmpty ? "--overwrite" : "")",
            in: folder
        )
        #expect(outcome.status != 0, "\(outcome)")
        try expectOriginals(command)
        #expect(try bytes("list") == Data("b.jpg\n".utf8))
    }

    @Test func `a cache entry is not replaced by its own bytes`() async throws {
        let line = """
            calotype cache put key a.jpg --cache-dir cache > /dev/null
            entry=$(calotype cache path key --cache-dir cache --json | sed 's/.*"path":"\\([^"]*\\)".*/\\1/')
            calotype cache get key -o "$entry" --overwrite --cache-dir cache; echo $?
            calotype cache verify --cache-dir cache > /dev/null; echo $?
            """
        #expect(try await Tool.shell(line, in: folder).output == "1\n0\n")
    }

    @Test func `two images with the same name get separate names`() async throws {
        let line =
            "mkdir x y; cp a.jpg x/p.jpg; cp b.jpg y/P.JPG; calotype convert x/p.jpg y/P.JPG -f png -o out/"
        #expect(try await Tool.shell(line, in: folder).status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/out")
        #expect(Set(names.map { $0.lowercased() }).count == 2)
    }

    @Test func `previews do not replace files`() async throws {
        // A file: URL has no previews, so the folder must stay unchanged.
        let line =
            "mkdir p && echo x > p/a-001.png && calotype load a.jpg --no-disk --preview p; cat p/a-001.png"
        #expect(try await Tool.shell(line, in: folder).output.hasSuffix("x\n"))
    }

    @Test func `an unwritable and a missing folder are errors that name the file`() async throws {
        let outcome = try await Tool.shell("calotype convert a.jpg none/x.png", in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors
                == "error: a.jpg: notWritable: cannot write none/x.png: No such file or directory\n"
        )
        let proc = try await Tool.shell("calotype convert a.jpg -o /proc/x.png", in: folder)
        #expect(proc.status == 1 && proc.errors.contains("cannot write /proc/x.png"))
    }

    @Test func `a full disk leaves no partial or temporary file, and preserves the old file`() async throws {
        // A file size limit simulates a full disk.
        let line = """
            echo old > old.png; ulimit -f 1; trap '' XFSZ
            calotype convert a.jpg -o old.png --overwrite; echo $?
            calotype convert a.jpg new.png; echo $?
            cat old.png
            """
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.output.hasSuffix("1\n1\nold\n"), "\(outcome)")
        #expect(outcome.errors.contains("File too large"))
        try expectOriginals(line)
        #expect(try !folder.files().contains("new.png"))
    }

    @Test func `standard output gets the image under each of its names`() async throws {
        for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            let line =
                "calotype convert a.jpg -f webp -o \(name) > out; calotype info out --json; rm out"
            let outcome = try await Tool.shell(line, in: folder)
            #expect(try outcome.objects.first?["format"] as? String == "webp", "\(name): \(outcome)")
        }
        let appended = "printf x > out; calotype convert a.jpg - -f webp >> out; head -c 5 out"
        #expect(try await Tool.shell(appended, in: folder).output == "xRIFF")
    }

    @Test func `pipes and descriptors of the shell are supported`() async throws {
        let line = """
            mkfifo pipe; cat pipe > one & calotype convert a.jpg -f webp -o pipe > /dev/null; wait
            calotype convert a.jpg -f webp -o >(cat > two) > /dev/null
            calotype convert a.jpg -f webp -o /dev/fd/3 3> three > /dev/null
            until [ -s two ]; do :; done; cmp one three && head -c 4 three
            """
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.output == "RIFF", "\(outcome)")
    }

    @Test(arguments: ["convert", "load --no-disk"])
    func `two Unicode forms of one name are two files`(command: String) async throws {
        let line = "mkdir n; cp a.jpg n/caf\u{E9}.jpg; cp b.jpg n/cafe\u{301}.jpg; "
        let outcome = try await Tool.shell(
            line + "calotype \(command) n/*.jpg -o nout/ -f webp --json",
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.files().count { $0.contains("nout/") } == 2)
    }

    @Test(arguments: ["", "--json"])
    func `a closing reader ends the report, not the batch`(flag: String) async throws {
        let line = "mkdir m; for i in $(seq 20); do cp a.jpg m/$i.jpg; done; "
        let outcome = try await Tool.shell(
            line + "calotype convert m/*.jpg -w 8 -f webp -o mout/ \(flag) | true; exit ${PIPESTATUS[0]}",
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.files().count { $0.contains("mout/") } == 20)
    }

    @Test func `a report that cannot be written is an error after all files are written`() async throws {
        let line = "mkdir m; for i in $(seq 20); do cp a.jpg m/$i.jpg; done; "
        let outcome = try await Tool.shell(
            line + "calotype convert m/*.jpg -w 8 -f webp -o mout/ >/dev/full",
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("standard output"))
        #expect(try folder.files().count { $0.contains("mout/") } == 20)
    }

    @Test func `a name template of the number alone is rejected with --skip-existing`() async throws {
        let line = "calotype convert a.jpg b.jpg -o out/ -f webp --skip-existing --name"
        let refused = try await Tool.shell(line + " '{number}'", in: folder)
        #expect(refused.status == 2 && refused.errors.contains("{digest}"))
        #expect(try await Tool.shell(line + " '{number}-{name}'", in: folder).status == 0)
    }

    @Test func `an unopened descriptor is not written to`() async throws {
        for number in 3..<20 {
            let line =
                "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; calotype convert a.jpg -f png -o /dev/fd/\(number)"
            let outcome = try await Tool.shell(line, in: folder)
            #expect(outcome.status == 1 && outcome.errors.contains("Bad file descriptor"), "\(number)")
        }
        #expect(
            try await Tool.shell("calotype convert a.jpg -f png -o /dev/fd/4 4>four.png", in: folder).status
                == 0
        )
        #expect(try bytes("four.png").starts(with: [0x89]))
    }

    @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    func `closed standard descriptors are not reused`(closed: String)
        async throws
    {
        let outcome = try await Tool.shell(
            "calotype convert a.jpg b.jpg -w 8 -f webp -o cout/ \(closed)",
            in: folder
        )
        #expect([0, 1].contains(outcome.status), "\(closed)")
        #expect(try folder.files().count { $0.contains("cout/") } == 2, "\(closed)")
    }
}
