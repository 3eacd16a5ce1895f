import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

/// `calotype health`, as run by a container.
@Suite(.waiting) struct HealthEndToEndTests {
    private func health(_ arguments: [String], _ variables: [String: String] = [:]) async throws
        -> Tool.Outcome
    {
        let assignments = variables.map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
        let line = "env \(assignments) '\(Tool.executable.path)' health \(arguments.joined(separator: " "))"
        return try await Tool.run(["-c", line], of: URL(filePath: "/bin/sh"))
    }

    private func address(_ place: String) -> String { place.replacing("http://", with: "") }

    @Test func `a running service is live and ready, and a stopped one is neither`() async throws {
        let service = try await RunningService.start(["--cache-dir=none"])
        let (pictures, admin) = (address(service.pictures), address(service.admin))
        let variables = ["CALOTYPE_LISTEN": pictures, "CALOTYPE_ADMIN": admin]
        let both = try await health([], variables)
        #expect(both.status == 0 && both.output == "live: \(pictures): ok\nready: \(admin): ok\n", "\(both)")
        let one = try await health(["--listen", pictures, "--json"])
        #expect(try one.status == 0 && one.objects.first?["ok"] as? Bool == true, "\(one)")
        #expect(await service.end() == 0)
        let none = try await health([], variables)
        #expect(none.status == 1 && none.errorLines.count == 2, "\(none)")
        #expect(none.errors.contains("nothing listens there"), "\(none)")
        #expect(!none.errors.contains("(target:"), "\(none)")
    }

    @Test func `an invalid address is reported`() async throws {
        #expect(try await health(["--unix", "/nowhere/at/all"]).status == 1)
        #expect(try await health(["--listen", "nothing"]).status == 2)
        #expect(try await health(["--listen", "127.0.0.1:1", "--unix", "a"]).status == 2)
    }
}
