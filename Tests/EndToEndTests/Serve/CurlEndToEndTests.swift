import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import CalotypeTesting
import Foundation
import Glibc
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.waiting) struct CurlEndToEndTests {
    private static let program = "/usr/bin/curl"
    private static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    /// The output of curl for a response: its header, and its status with the byte count of its body.
    private func curl(_ arguments: String...) async throws -> String {
        let own = ["-s", "-S", "-D", "-", "-o", "\(folder.path)/body", "-w", "%{http_code} %{size_download}"]
        let outcome = try await Tool.run(own + arguments, of: URL(filePath: Self.program))
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    private func field(_ name: String, in head: String) -> String? {
        head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(name + ": ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }

    @Test(.enabled(if: isInstalled, "curl is not installed"))
    func `curl revalidates an image by entity tag and date, and HEAD has no body`() async throws {
        var picture = OriginResponse.body(try Pictures.jpeg(), type: "image/jpeg")
        picture.headers.append(OriginField("Cache-Control", "max-age=600"))
        let origin = try await LoopbackOrigin.start(routes: ["/a.jpg": picture])
        try await RunningService.run("--cache-dir=none", "--allow-private-sources") { service async throws in
            let url = service.pictures + "/unsafe/w:40/plain/\(origin.url("/a.jpg"))"
            let tag = "\(folder.path)/tag"
            let whole = try await curl("--etag-save", tag, url)
            let length = try #require(field("content-length", in: whole))
            #expect(whole.hasSuffix("200 \(length)") && length != "0")
            #expect(try await curl("--etag-compare", tag, url).hasSuffix("304 0"))
            let date = try #require(field("last-modified", in: whole))
            #expect(try await curl("-z", date, url).hasSuffix("304 0"))
            #expect(try await curl("-z", "Thu, 01 Jan 1970 00:00:10 GMT", url).hasSuffix("200 \(length)"))
            let head = try await curl("-I", url)
            #expect(head.hasSuffix("200 0") && field("content-length", in: head) == length)
            let options = try await curl("-X", "OPTIONS", url)
            #expect(options.hasSuffix("204 0") && field("allow", in: options) == "GET, HEAD, OPTIONS")
        }
        await origin.close()
    }

    @Test func `a service of local files prints the URL of the first image, and that of its console`()
        async throws
    {
        for name in ["a@1 %41?.jpg", "b.jpg"] {
            try await OutputFile.write(try Pictures.jpeg(), to: "\(folder.path)/\(name)")
        }
        let pipe = Pipe()
        let process = try ChildProcess(
            Tool.executable.path,
            [
                "serve", "--local-root=\(folder.path)", "--listen=127.0.0.1:0", "--admin=127.0.0.1:0",
                "--log-level=error",
                "--cache-dir=none", "--sandbox=best-effort",
            ],
            output: pipe.fileHandleForWriting.fileDescriptor
        )
        try pipe.fileHandleForWriting.close()
        let lines = await Self.lines(of: pipe.fileHandleForReading, until: "the console: ")
        let body = await Result { () async throws -> Data in
            let url = try #require(lines.dropLast().last.flatMap { $0.split(separator: " ").last })
            let loader = HTTPDataLoader(RunningService.patient)
            let answer = try await loader.response(
                for: FetchRequest(url: try #require(URL(string: "\(url)")))
            )
            let body = try await answer.collected()
            await loader.shutdown()
            return body
        }
        kill(process.processID, SIGTERM)
        let status = await Self.pool.run { process.wait() }
        #expect(status == 0)
        try #require(lines.count >= 3, "\(lines)")
        let (told, picture, console) = (
            lines[lines.count - 3], lines[lines.count - 2], lines[lines.count - 1]
        )
        #expect(told.hasPrefix("pictures on http://127.0.0.1:") && told.contains("URLs are not signed"))
        #expect(picture.contains(/^a picture: http:\/\/127\.0\.0\.1:[0-9]+\/unsafe\/rs:fit:400:400\/plain\//))
        #expect(ImageFormat(sniffing: try body.get()) == .webP)
        #expect(console.contains(/^the console: http:\/\/127\.0\.0\.1:[0-9]+$/))
    }

    /// The output lines of a program, up to the first with a given start.
    private static func lines(of file: FileHandle, until start: String) async -> [String] {
        await pool.run {
            var text = ""
            while true {
                let data = file.availableData
                text += String(decoding: data, as: UTF8.self)
                let lines = text.split(separator: "\n").map(String.init)
                let isWhole = text.hasSuffix("\n") && lines.last?.hasPrefix(start) == true
                if data.isEmpty || isWhole { return lines }
            }
        }
    }

    private static let pool = BlockingPool(width: 2)
}
