import CalotypeLoading
import CalotypeServer
import CalotypeSupport
import CalotypeTesting
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.waiting) struct ReloadEndToEndTests {
    private let folder: ScratchFolder
    private let file: URL

    init() throws {
        folder = try ScratchFolder()
        file = URL(filePath: folder.path).appending(path: "service.json")
        try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
        try Pictures.jpeg().write(to: pictures.appending(path: "a.jpg"))
    }

    private var pictures: URL { URL(filePath: folder.path).appending(path: "pictures") }

    private static let threads = BlockingPool(width: 2, name: "settings")

    private func members(key: String) throws -> Data {
        let members = ["key": key, "salt": "aa", "local-root": pictures.path]
        return try JSONSerialization.data(withJSONObject: members)
    }

    private func write(_ members: [String: Any]) throws {
        let all = members.merging(["local-root": pictures.path]) { own, _ in own }
        try JSONSerialization.data(withJSONObject: all).write(to: file)
        chmod(file.path, 0o600)
    }

    private func status(_ path: String, _ service: RunningService) async throws -> Int {
        try await service.get(path).answer.status
    }

    private static let keys = (
        first: "11111111111111111111111111111111", second: "22222222222222222222222222222222"
    )

    private func signed(_ path: String, key: String) throws -> String {
        let settings = try SettingsSource(["--key=\(key)", "--salt=aa"], [:]).settings
        return try #require(try settings.service.imgproxy?.signed(path))
    }

    private let path = "/pr:small/plain/local:///a.jpg"

    @Test func `keys, presets and sources are reloaded at SIGHUP, and a mistake changes nothing`()
        async throws
    {
        let presets = ["small=rs:fit:20:20"]
        try write(["key": Self.keys.first, "salt": "aa", "presets": presets])
        try await RunningService.run("--config", file.path, "--cache-dir=none") { service in
            let (first, second) = (
                try signed(path, key: Self.keys.first), try signed(path, key: Self.keys.second)
            )
            #expect(try await status(first, service) == 200)
            #expect(try await status(second, service) == 403)

            try write(["key": Self.keys.second, "salt": "aa", "presets": presets, "queue": 7])
            kill(service.processID, SIGHUP)
            try await service.untilReloaded("succeeded", count: 1)
            #expect(try await status(first, service) == 403)
            #expect(try await status(second, service) == 200)

            for text in ["{", "{\"key\": \"zz\"}", "{\"presets\": [\"small=foo:1\"]}", "{\"key\": []}"] {
                let before = try await service.metric("calotype_reloads_total", "failed")
                try Data(text.utf8).write(to: file)
                kill(service.processID, SIGHUP)
                try await service.untilReloaded("failed", count: before + 1)
                #expect(try await status(second, service) == 200, "\(text)")
            }

            try write(["key": Self.keys.second, "salt": "aa", "allowed-sources": ["pictures.example"]])
            kill(service.processID, SIGHUP)
            try await service.untilReloaded("succeeded", count: 2)
            #expect(try await status(second, service) == 404)
            let plain = try signed("/plain/local:///a.jpg", key: Self.keys.second)
            #expect(try await status(plain, service) == 403)
        }
    }

    @Test func `a publicly reachable service cannot lose its key by a reload`() async throws {
        try write(["key": Self.keys.first, "salt": "aa", "presets": ["small=rs:fit:20:20"]])
        try await RunningService.run("--config", file.path, "--cache-dir=none", "--listen=0.0.0.0:0") {
            service in
            try write(["listen": "127.0.0.1:0"])
            kill(service.processID, SIGHUP)
            try await service.untilReloaded("failed", count: 1)
            #expect(try await status("/unsafe/plain/local:///a.jpg", service) == 403)
            #expect(try await status(signed(path, key: Self.keys.first), service) == 200)
        }
    }

    @Test func `a SIGHUP during the start is a reload after it`() async throws {
        let pipe = "\(folder.path)/settings"
        #expect(mkfifo(pipe, 0o600) == 0)
        let started = AsyncStream<pid_t>.makeStream()
        async let starting = RunningService.start(["--config", pipe, "--cache-dir=none"]) {
            started.continuation.yield($0)
        }
        var processes = started.stream.makeAsyncIterator()
        let process = try #require(await processes.next())
        // Each read of the settings waits for its writer, so the first one is in progress here.
        try await Self.threads.run { () throws -> Void in
            let settings = try #require(FileHandle(forWritingAtPath: pipe))
            kill(process, SIGHUP)
            try settings.write(contentsOf: try members(key: Self.keys.first))
            try settings.close()
        }
        let service = try await starting
        try await Self.threads.run { () throws -> Void in
            let settings = try #require(FileHandle(forWritingAtPath: pipe))
            try settings.write(contentsOf: try members(key: Self.keys.second))
            try settings.close()
        }
        try await service.untilReloaded("succeeded", count: 1)
        #expect(try await status(signed("/plain/local:///a.jpg", key: Self.keys.second), service) == 200)
        #expect(await service.end() == 0)
    }

    @Test(arguments: [SIGUSR1, SIGUSR2, SIGHUP])
    func `an unrelated signal does not end the service`(number: Int32) async throws {
        let log = Pipe()
        let service = try await RunningService.start(
            ["--cache-dir=none", "--log-level=info", "--log-format=json"],
            errors: log.fileHandleForWriting.fileDescriptor
        )
        try log.fileHandleForWriting.close()
        for _ in 0..<3 { kill(service.processID, number) }
        #expect(try await service.get("/health").answer.status == 200)
        #expect(await service.end() == 0)
        let text = String(decoding: try log.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        let lines = try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let messages = lines.compactMap { $0["message"] as? String }
        #expect(messages.first == "starting" && messages.last == "stopped", "\(messages)")
        #expect(messages.contains("ready") && messages.contains("draining"), "\(messages)")
    }
}
