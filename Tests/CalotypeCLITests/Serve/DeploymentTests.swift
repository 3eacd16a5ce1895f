import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct DeploymentTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let folder = "Examples/ImageService"
    private static let files = ["\(folder)/Containerfile", "\(folder)/calotype.service"]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test(
        arguments: files + [
            "\(folder)/environment", "Docs/service/operation.md", "Docs/service/key-rotation.md",
        ]
    )
    func `every variable that the files set belongs to a setting`(path: String) throws {
        let known = Set(ServeSetting.all.map(\.variable) + ["CALOTYPE_CONFIG"])
        let names = try Self.text(path).matches(of: /CALOTYPE_[A-Z_]+/).map { String($0.output) }
        #expect(!names.isEmpty)
        for name in names { #expect(known.contains(name), "\(path): \(name)") }
    }

    @Test func `the unit permits the system calls of the worker sandbox`() throws {
        let unit = try Self.text(Self.files[1])
        let allowed = unit.split(separator: "\n").filter { $0.hasPrefix("SystemCallFilter=") }
            .flatMap { $0.dropFirst("SystemCallFilter=".count).split(separator: " ") }
        let needed = ["seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"]
        for call in ["@system-service"] + needed {
            #expect(allowed.contains { $0 == call }, "\(call)")
        }
        // Worker sockets, and the numbers in /proc that are read at the start.
        #expect(unit.contains("AF_UNIX") && !unit.contains("ProcSubset"))
    }

    private static func values(of name: String, in unit: String) -> [String] {
        unit.split(separator: "\n").filter { $0.hasPrefix("\(name)=") }.map {
            String($0.dropFirst(name.count + 1))
        }
    }

    @Test func `the unit lets the service drain, and survive killed workers`() throws {
        let unit = try Self.text(Self.files[1])
        let stop = try #require(Self.values(of: "TimeoutStopSec", in: unit).first.flatMap { Int($0) })
        let drain = try #require(Int(ServeSetting.drainTimeout.standard.dropLast()))
        // After the drain the process has 15 seconds to write its disk cache.
        #expect(stop > drain + 15)
        for line in [
            "OOMPolicy=continue", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=",
            "ExecReload=/bin/kill -HUP $MAINPID", "RestartForceExitStatus=SIGHUP", "CacheDirectoryMode=0700",
        ] {
            #expect(unit.split(separator: "\n").contains { $0 == line }, "\(line)")
        }
        #expect(Self.values(of: "MemoryMax", in: unit).count == 1)
        #expect(Self.values(of: "LimitNOFILE", in: unit).count == 1)
    }

    @Test func `the socket, the example and the defaults have one address`() async throws {
        let socket = try Self.text("\(Self.folder)/calotype.socket")
        let path = Self.root.appending(path: "\(Self.folder)/config.json").path
        let source = try await SettingsSource.read([], [:], file: path)
        #expect(source.warnings == [])
        let listen = ServeSetting.listen.standard
        #expect(Self.values(of: "ListenStream", in: socket) == [listen])
        #expect(source.settings.holding.first { $0.0.name == "listen" }?.1 == listen)
    }

    @Test func `no keys are shipped`() throws {
        for name in ["config.json", "environment"] {
            let text = try Self.text("\(Self.folder)/\(name)")
            #expect(text.firstMatch(of: /[0-9a-f]{16}/) == nil, "\(name)")
        }
    }

    @Test func `build folders that Git ignores are excluded from container builds`() throws {
        let ignored = try Self.text(".dockerignore").split(separator: "\n").map(String.init)
        #expect(ignored.contains(".git"))
        let builds = try Self.text(".gitignore").split(separator: "\n").filter { $0.hasPrefix(".") }
        #expect(!builds.isEmpty)
        for build in builds {
            let name = build.hasSuffix("/") ? String(build.dropLast()) : String(build)
            let isCovered = ignored.contains {
                $0 == name || ($0.last == "*" && name.hasPrefix($0.dropLast()))
            }
            #expect(isCovered, "\(name)")
        }
    }

    @Test(arguments: ["README.md", "Docs/service/operation.md"])
    func `the documents for operators link to the files`(path: String) throws {
        let text = try Self.text(path)
        for file in Self.files { #expect(text.contains("\(file))"), "\(path): \(file)") }
    }
}
