import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated, .enabled("this machine cannot sandbox codec workers", Locks.areAvailable))
struct SandboxEndToEndTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    @Test func `decode and convert have the same result in workers`() async throws {
        let picture = folder.path + "/a.png"
        try await OutputFile.write(try Pictures.png(), to: picture)
        var digests: [String?] = []
        for (name, flags) in [("here", []), ("there", ["--sandbox"])] {
            let decoded = try await Tool.run(
                ["decode", "--json", picture, "--output", "\(folder.path)/\(name).rgba"] + flags
            )
            #expect(decoded.status == 0)
            digests.append(try decoded.objects.first?["sha256"] as? String)
            let converted = try await Tool.run(["convert", picture, "\(folder.path)/\(name).webp"] + flags)
            #expect(converted.status == 0)
        }
        #expect(digests[0] == digests[1])
        let files = try ["here", "there"].map {
            try Data(contentsOf: URL(filePath: "\(folder.path)/\($0).webp"))
        }
        #expect(files[0] == files[1])
    }

    @Test func `the service renders images without libvips in its own process`() async throws {
        try await OutputFile.write(try Pictures.png(), to: folder.path + "/a.png")
        let picture = TestImages.photograph(PixelSize(width: 40, height: 30))
        try await OutputFile.write(try TIFFEncoder().encode(picture), to: folder.path + "/a.tiff")
        try await RunningService.run(
            "--local-root=" + folder.path,
            "--cache-dir=" + folder.path + "/cache",
            "--sandbox=on"
        ) { service in
            for (options, name) in [("rs:fill:9:7/bl:2/g:sm", "a.png"), ("rs:fit:9:9/rot:90", "a.tiff")] {
                let (answer, _) = try await service.get("/unsafe/\(options)/plain/local:///\(name)@png")
                #expect(answer.status == 200)
            }
            let (answer, _) = try await service.get("/info/unsafe/plain/local:///a.png")
            #expect(answer.status == 200)
            let maps = try #require(FileHandle(forReadingAtPath: "/proc/\(service.processID)/maps"))
            let text = String(decoding: try maps.readToEnd() ?? Data(), as: UTF8.self)
            #expect(text.contains("libc.so") && !text.contains("libvips"))
        }
    }

    @Test func `load and show have the same result in workers, and read SVG only there`() async throws {
        let names = ["a.png", "a.svg"]
        try await OutputFile.write(try Pictures.png(), to: "\(folder.path)/a.png")
        let drawing =
            "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'></svg>"
        try await OutputFile.write(Data(drawing.utf8), to: "\(folder.path)/a.svg")
        var drawn: [String] = []
        var files: [Data] = []
        for (place, flags) in [("here", []), ("there", ["--sandbox"])] {
            let cache = ["--cache-dir", "\(folder.path)/\(place)"] + flags
            for name in names {
                let path = "\(folder.path)/\(name)"
                let result = "\(folder.path)/\(place)-\(name).webp"
                let loaded = try await Tool.run(["load", path, "--width", "20", "--output", result] + cache)
                let shown = try await Tool.run(["show", path, "--width", "20"] + cache)
                let isRead = name == "a.png" || place == "there"
                #expect(loaded.status == (isRead ? 0 : 1), "\(loaded.errors)")
                #expect(shown.status == (isRead ? 0 : 1), "\(shown.errors)")
                guard name == "a.png" else { continue }
                drawn.append(shown.output)
                files.append(try Data(contentsOf: URL(filePath: result)))
            }
        }
        #expect(drawn[0] == drawn[1] && files[0] == files[1])
    }

    @Test func `the service decodes and encodes JPEG XL only in workers`() async throws {
        let picture = TestImages.photograph(PixelSize(width: 40, height: 30))
        try await OutputFile.write(try JPEGXLEncoder(effort: 3).encode(picture), to: "\(folder.path)/a.jxl")
        try await OutputFile.write(try Pictures.png(), to: "\(folder.path)/a.png")
        for (sandbox, status) in [("on", 200), ("off", 422)] {
            try await RunningService.run(
                "--cache-dir=none",
                "--local-root=\(folder.path)",
                "--sandbox=\(sandbox)"
            ) { service in
                for path in ["w:9/plain/local:///a.jxl@png", "w:9/plain/local:///a.png@jxl"] {
                    let answer = try await service.get("/unsafe/\(path)").answer
                    #expect(answer.status == status, "\(path)")
                }
                #expect(try await service.get("/unsafe/w:9/plain/local:///a.png").answer.status == 200)
            }
        }
    }

    @Test func `a worker started by hand states its purpose`() async throws {
        let outcome = try await Tool.run("codec-worker")
        #expect(outcome.status == 2 && outcome.errors.contains("not by hand"))
    }
}
