import CalotypeCodecs
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

/// Batches of images, with `convert` and `load` alike.
@Suite(.gated) struct BatchEndToEndTests {
    private let folder: ScratchFolder

    init() async throws {
        folder = try ScratchFolder()
        for (index, name) in ["one.jpg", "sub/two.jpg", "sub/deep/three three.jpg", "sub/one.jpg"]
            .enumerated()
        {
            let path = folder.path + "/photos/" + name
            try await OutputWriter.makeFolder(FileLocation.split(path).folder)
            try await OutputFile.write(try Pictures.jpeg(seed: UInt64(index + 1)), to: path)
        }
    }

    private func files(_ name: String) throws -> [String] {
        try folder.files().filter { $0.hasPrefix(name + "/") }.map { String($0.dropFirst(name.count + 1)) }
    }

    @Test(arguments: ["convert", "load --no-disk"])
    func `folders are walked recursively, and the output has the same tree`(command: String) async throws {
        let outcome = try await Tool.shell(
            "calotype \(command) -r photos -o out -f webp -w 20 -j 3 --json",
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            try files("out") == ["one.webp", "sub/deep/three three.webp", "sub/one.webp", "sub/two.webp"]
        )
        let paths = try outcome.objects.map { $0["path"] as? String }
        #expect(
            paths == [
                "out/one.webp", "out/sub/deep/three three.webp", "out/sub/one.webp", "out/sub/two.webp",
            ]
        )
        // Again, into the walked folder.
        let within =
            "for i in 1 2; do calotype \(command) -r photos -o photos/small -w 20; done"
        let second = try await Tool.shell(within, in: folder)
        #expect(second.errors.split(separator: "\n").count == 4, "\(second)")
        #expect(try files("photos").count == 8)
    }

    @Test(arguments: ["convert", "load --no-disk"])
    func `an interrupted batch is continued with --skip-existing`(command: String) async throws {
        let line = "calotype \(command) photos/*.jpg photos/sub/*.jpg -o out -f webp -w 20 --json"
        let first = try await Tool.shell(line, in: folder)
        #expect(first.status == 0)
        let names = try files("out")
        #expect(names.count == 3 && names.contains("two.webp"))
        let second = try await Tool.shell("rm out/two.webp; \(line) --skip-existing", in: folder)
        #expect(second.status == 0)
        #expect(try second.objects.map { $0["skipped"] as? Bool ?? false } == [true, true, false])
        #expect(try second.objects.allSatisfy { ($0["path"] as? String)?.hasPrefix("out/") == true })
        let third = try await Tool.shell(line, in: folder)
        #expect(third.status == 1)
        #expect(try third.objects.allSatisfy { ($0["error"] as? String)?.hasPrefix("exists: ") == true })
        #expect(try await Tool.shell("\(line) --overwrite", in: folder).status == 0)
    }

    @Test(arguments: ["convert", "load --no-disk"])
    func `output names follow a template`(command: String) async throws {
        let line =
            "calotype \(command) photos/{,sub/}*.jpg -o out/ -w 20 --name '{number}-{name}-{width}w'"
        #expect(try await Tool.shell(line, in: folder).status == 0)
        let names = try files("out")
        #expect(names.count == 3)
        #expect(names.contains("3-two-20w.jpg"))
        let bad = try await Tool.shell(
            "calotype \(command) photos/one.jpg -o out/ --name '{nam}'",
            in: folder
        )
        #expect(bad.status == 2 && bad.errors.contains("did you mean {name}?"))
    }

    @Test(arguments: ["convert", "load --no-disk"])
    func `a terminal shows the progress bar and the summary`(command: String) async throws {
        let photos = ["one.jpg", "sub/two.jpg"].map { folder.path + "/photos/" + $0 }
        let words = command.split(separator: " ").map(String.init)
        let run = try await Terminal.run(words + photos + ["-o", folder.path + "/out/", "-w", "20"])
        #expect(run.status == 0)
        #expect(run.text.contains("░"))
        let expected = command == "convert" ? "2 conversions: 2 written; " : "2 loads: 2 file; "
        #expect(run.text.contains(expected), "\(run.text)")
    }

    @Test(arguments: ["convert", "load --no-disk"])
    func `a folder as an input is an error that names the option, and other images succeed`(command: String)
        async throws
    {
        let outcome = try await Tool.shell(
            "calotype \(command) photos photos/one.jpg -o out/ -w 20",
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("error: photos: ") && outcome.errors.contains("--recursive"))
        #expect(try files("out") == ["one.jpg"])
    }

    @Test func `names of loaded files do not depend on the order of the list`() async throws {
        let origin = try await LoopbackOrigin.start(routes: [
            "/x/a.jpg": .body(try Pictures.jpeg(seed: 1)), "/y/a.jpg": .body(try Pictures.jpeg(seed: 2)),
            "/%C3%BC%20b.jpg": .body(try Pictures.jpeg(seed: 3)),
        ])
        let urls = ["/x/a.jpg", "/y/a.jpg", "/%C3%BC%20b.jpg"].map { origin.url($0).absoluteString }
        var paths: [[String: String]] = []
        for (order, out) in [(urls, "p/"), (urls.reversed(), "q/")] {
            let arguments = ["load", "--no-disk", "--json", "-o", folder.path + "/" + out] + order
            let objects = try await Tool.run(arguments).objects
            paths.append(
                Dictionary(
                    uniqueKeysWithValues: try objects.map { object in
                        let url = try #require(object["url"] as? String)
                        let path = try #require(object["path"] as? String)
                        #expect(FileManager.default.fileExists(atPath: path))
                        return (url, FileLocation.split(path).name)
                    }
                )
            )
        }
        await origin.close()
        #expect(paths[0] == paths[1])
        #expect(paths[0][urls[2]] == "ü b.jpg")
        #expect(Set(paths[0].values).count == 3)
    }

    @Test func `URLs with existing files are skipped without a request`() async throws {
        let origin = try await LoopbackOrigin.start(routes: ["/a.jpg": .body(try Pictures.jpeg())])
        let arguments = [
            "load", origin.url("/a.jpg?x=1.png").absoluteString, "--no-disk", "-o", folder.path + "/p/",
        ]
        #expect(try await Tool.run(arguments).status == 0)
        let count = await origin.activity.snapshot.requests.count
        let again = try await Tool.run(arguments + ["--skip-existing", "--json"])
        #expect(try again.objects.first?["skipped"] as? Bool == true)
        #expect(await origin.activity.snapshot.requests.count == count)
        await origin.close()
    }

    @Test func `info walks folders recursively`() async throws {
        let outcome = try await Tool.shell("calotype info -r photos --json", in: folder)
        #expect(outcome.status == 0)
        #expect(try outcome.objects.count == 4)
        let refused = try await Tool.shell("calotype info photos", in: folder)
        #expect(refused.status == 1 && refused.errors.contains("--recursive"))
    }

    @Test func `an image listed twice has one output file`() async throws {
        let line = "calotype load photos/one.jpg photos/one.jpg --no-disk -o out/ --json"
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0)
        #expect(try outcome.objects.map { $0["path"] as? String } == ["out/one.jpg", "out/one.jpg"])
        #expect(try files("out") == ["one.jpg"])
    }

    @Test func `the dates and the copyright of a file are retained on request`() async throws {
        let line = """
            touch -d 2001-02-03T04:05:06Z photos/one.jpg
            calotype convert photos/one.jpg out.webp --keep-dates --keep-copyright > /dev/null
            stat -c %Y out.webp
            """
        #expect(try await Tool.shell(line, in: folder).output == "981173106\n")
        let help = try await Tool.run("convert", "--help").output
        #expect(help.contains("GPS") && help.contains("--keep-copyright"))
    }
}
