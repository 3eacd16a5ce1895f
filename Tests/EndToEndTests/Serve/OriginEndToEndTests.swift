import CalotypeLoading
import CalotypeSupport
import CalotypeTesting
import Foundation
import Glibc
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

/// A running service with credentials for its origins.
@Suite(.waiting) struct OriginEndToEndTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private var tokenPath: String { "\(folder.path)/token" }

    private func write(token: String) throws {
        try Data("\(token)\n".utf8).write(to: URL(filePath: tokenPath))
        chmod(tokenPath, 0o600)
    }

    /// Serves an image to the bearer of a token, and repeats any other token everywhere in its response.
    private static func origin(_ pictures: [String: Data]) async throws -> LoopbackOrigin {
        try await LoopbackOrigin.start { request in
            let given = request[header: "authorization"] ?? "none"
            if let picture = pictures[given] { return .body(picture, type: "image/jpeg") }
            var refusal = OriginResponse.status(403, text: "not for \(given)")
            refusal.headers = [OriginField("Content-Type", given), OriginField("X-Echo", given)]
            return refusal
        }
    }

    @Test func `a token of a file is sent, replaced by SIGHUP, and appears nowhere`() async throws {
        let (first, second, wrong) = ("first-0123456789", "second-0123456789", "wrong-0123456789")
        let origin = try await Self.origin([
            "Bearer \(first)": try Pictures.jpeg(seed: 1), "Bearer \(second)": try Pictures.jpeg(seed: 2),
        ])
        let away = try await Self.origin(["none": try Pictures.jpeg(seed: 3)])
        try write(token: first)
        let origins = #"{"http://127.0.0.1:\#(origin.port)": {"bearer-token-file": "\#(tokenPath)"}}"#
        let log = "\(folder.path)/log"
        let errors = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let service = try await RunningService.start(
            ["--cache-dir", "\(folder.path)/cache", "--allow-private-sources", "--log-level=info"],
            environment: ["CALOTYPE_ORIGINS": origins],
            errors: errors
        )
        close(errors)
        var shown: [String] = []
        func get(_ path: String, of place: String? = nil) async throws -> (status: Int, body: Data) {
            let (answer, body) = try await service.get(path, of: place)
            shown += answer.headers.map { "\($0.name): \($0.value)" }
            shown.append(String(decoding: body, as: UTF8.self))
            return (answer.status, body)
        }
        let result = await Result { () async throws -> Void in
            let path = "/unsafe/w:40/f:jpg/plain/\(origin.url("/a.jpg"))"
            let one = try await get(path)
            #expect(one.status == 200)
            try write(token: second)
            kill(service.processID, SIGHUP)
            try await service.untilReloaded("succeeded", count: 1)
            let two = try await get(path)
            #expect(two.status == 200 && two.body != one.body)
            #expect(try await get("/unsafe/plain/\(away.url("/a.jpg"))").status == 200)

            try Data("two\nlines".utf8).write(to: URL(filePath: tokenPath))
            kill(service.processID, SIGHUP)
            try await service.untilReloaded("failed", count: 1)
            #expect(try await get(path).body == two.body)

            try write(token: wrong)
            kill(service.processID, SIGHUP)
            try await service.untilReloaded("succeeded", count: 2)
            #expect(try await get("/unsafe/plain/\(origin.url("/b.jpg"))").status == 502)
            for page in ["/metrics", "/status.json", "/"] { _ = try await get(page, of: service.admin) }
        }
        _ = await service.end()
        try result.get()
        let seen = await origin.activity.snapshot.requests.map { $0[header: "authorization"] }
        #expect(Set(seen) == ["Bearer \(first)", "Bearer \(second)", "Bearer \(wrong)"])
        let others = await away.activity.snapshot.requests.map { $0[header: "authorization"] }
        #expect(others == [nil])
        shown.append(try String(contentsOfFile: log, encoding: .utf8))
        #expect(shown.last?.contains("reloaded") == true)
        for name in try FileManager.default.subpathsOfDirectory(atPath: "\(folder.path)/cache") {
            let file = FileManager.default.contents(atPath: "\(folder.path)/cache/\(name)")
            shown.append(file.map { String(decoding: $0, as: UTF8.self) } ?? "")
        }
        for token in [first, second, wrong] {
            #expect(!shown.contains { $0.contains(token) })
        }
        await origin.close()
        await away.close()
    }

    @Test func `a service does not start with a secret that it cannot read`() async throws {
        let origins = #"{"https://a.test": {"bearer-token-file": "/nowhere/token"}}"#
        let outcome = try await Tool.run(["serve", "--print-config", "--origins", origins])
        #expect(outcome.status == 2 && outcome.errors.contains("origins (flag): https://a.test: "))
        #expect(outcome.errors.contains("/nowhere/token"))
    }
}
