import Foundation
import Testing

@testable import CalotypeCLI

/// The files that operators begin with.
@Suite struct DeploymentTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let files = [
        "Examples/ImageService/Containerfile", "Examples/ImageService/image-service.service",
    ]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test(arguments: files + ["Docs/service/operation.md"])
    func `every variable that they set is a setting's`(path: String) throws {
        let known = Set(ServeSetting.all.map(\.variable) + ["CALOTYPE_CONFIG"])
        let names = try Self.text(path).matches(of: /CALOTYPE_[A-Z_]+/).map { String($0.output) }
        #expect(!names.isEmpty)
        for name in names { #expect(known.contains(name), "\(path): \(name)") }
    }

    @Test func `the unit allows what codec workers lock themselves in with`() throws {
        let unit = try Self.text(Self.files[1])
        let allowed = unit.split(separator: "\n").filter { $0.hasPrefix("SystemCallFilter=") }
            .flatMap { $0.dropFirst("SystemCallFilter=".count).split(separator: " ") }
        let needed = ["seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"]
        for call in ["@system-service"] + needed {
            #expect(allowed.contains { $0 == call }, "\(call)")
        }
        // Sockets of the workers, and the numbers that the start reads.
        #expect(unit.contains("AF_UNIX") && !unit.contains("ProcSubset"))
    }

    @Test(arguments: ["README.md", "Docs/service/operation.md"])
    func `they are told of where an operator looks`(path: String) throws {
        let text = try Self.text(path)
        for file in Self.files { #expect(text.contains("\(file))"), "\(path): \(file)") }
    }
}
