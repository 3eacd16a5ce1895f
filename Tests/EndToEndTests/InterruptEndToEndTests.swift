import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

/// Signals during a library call that cannot be stopped.
@Suite(.blocking) struct InterruptEndToEndTests {
    /// Separate from the tests, which occupy the cooperative threads for seconds.
    private static let pool = BlockingPool(width: 2)
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    /// The processor time of a process in hundredths of a second, or `nil` if it has exited: fields 14 and 15
    /// of `stat` in proc(5).
    private static func ticks(of process: Int32) -> Int? {
        do {
            let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            let times = (text.split(separator: ")").last?.split(separator: " ") ?? []).dropFirst(11).prefix(2)
            return times.count == 2 ? times.compactMap { Int($0) }.reduce(0, +) : nil
        } catch {
            return nil
        }
    }

    /// Waits until a process has worked for a second: it is then in the encoder, which takes minutes.
    private static func untilBusy(_ process: Int32) {
        while let ticks = ticks(of: process), ticks < 100 { sched_yield() }
    }

    /// Noise, which takes the slowest AVIF encoder minutes.
    private func largePicture() async throws -> String {
        let path = folder.path + "/noise.png"
        let noise = TestImages.photograph(PixelSize(width: 2_400, height: 1_800))
        try await OutputFile.write(try PNGEncoder().encode(noise), to: path)
        return path
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `the first signal ends a conversion inside a library call`(signal: Int32) async throws {
        let picture = try await largePicture()
        let result = folder.path + "/a.avif"
        let sentAt = SharedState<ContinuousClock.Instant?>(nil)
        let outcome = try await Tool.run(["convert", picture, result, "--effort", "9"]) { process in
            await Self.pool.run { Self.untilBusy(process) }
            sentAt.withLock { $0 = .now }
            kill(process, signal)
        }
        #expect(outcome.status == 128 + signal)
        #expect(!FileManager.default.fileExists(atPath: result))
        // One second is promised; a busy machine may take more, and the encoder takes three minutes.
        let start = try #require(sentAt.value)
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `an interrupted load reports no cache error, and completed images are cached`() async throws {
        let gate = OriginGate()
        let jpeg = try Pictures.jpeg()
        let slow = OriginResponse(
            framing: .announced(jpeg.count),
            steps: [.bytes(jpeg.prefix(10)), .wait(gate)]
        )
        let origin = try await LoopbackOrigin.start(routes: ["/a.jpg": .body(jpeg), "/slow.jpg": slow])
        let urls = ["/a.jpg", "/slow.jpg"].map { origin.url($0).absoluteString }
        let (out, cache) = (folder.path + "/out", ["--cache-dir", folder.path + "/cache"])
        try await OutputWriter.makeFolder(out)
        let outcome = try await Tool.run(["load", "-o", out] + urls + cache) { process in
            await Self.pool.run {
                do { try FolderWatch.waitForFile(in: out) } catch { Issue.record(error) }
            }
            await gate.arrived()
            kill(process, SIGINT)
        }
        await gate.open()
        await origin.close()
        #expect(outcome.status == 130)
        #expect(!outcome.errors.contains("storeBusy"), "\(outcome.errors)")
        let list = try await Tool.run(["cache", "list", "--json"] + cache)
        #expect(try list.objects.map { $0["key"] as? String } == [urls[0]])
    }

    @Test func `an interrupted batch leaves whole files, and is continued with --skip-existing`() async throws
    {
        try await OutputWriter.makeFolder(folder.path + "/photos")
        try await OutputFile.write(try Pictures.jpeg(), to: folder.path + "/photos/0.jpg")
        for number in 1..<600 { link(folder.path + "/photos/0.jpg", folder.path + "/photos/\(number).jpg") }
        let out = folder.path + "/out"
        try await OutputWriter.makeFolder(out)
        let arguments = ["convert", "-r", folder.path + "/photos", "-o", out, "-w", "40", "-j", "2"]
        let outcome = try await Tool.run(arguments) { process in
            await Self.pool.run {
                do { try FolderWatch.waitForFile(in: out) } catch { Issue.record(error) }
                kill(process, SIGINT)
            }
        }
        #expect(outcome.status == 130)
        let names = try FileManager.default.contentsOfDirectory(atPath: out)
        #expect((1..<600).contains(names.count) && names.allSatisfy { $0.hasSuffix(".jpg") })
        for name in names {
            let data = try Data(contentsOf: URL(filePath: out + "/" + name))
            #expect(try CodecRegistry.standard.decode(data).width == 40)
        }
        let rest = try await Tool.run(arguments + ["--skip-existing", "--json"])
        #expect(rest.status == 0)
        #expect(try rest.objects.count { $0["skipped"] as? Bool == true } == names.count)
        #expect(try FileManager.default.contentsOfDirectory(atPath: out).count == 600)
    }

    @Test func `a signal that was ignored at the start stays ignored`() async throws {
        try await OutputFile.write(try Pictures.jpeg(), to: folder.path + "/a.jpg")
        let line = """
            mkdir m; for i in $(seq 40); do cp a.jpg m/$i.jpg; done; mkfifo list
            (trap '' INT; exec '\(Tool.executable.path)' load -i list --no-disk -o out/ -w 8 > report) &
            exec 3> list; kill -INT $!; printf '%s\\n' m/*.jpg >&3; exec 3>&-; wait $!
            """
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try folder.files().count { $0.hasPrefix("out/") } == 40)
    }
}
