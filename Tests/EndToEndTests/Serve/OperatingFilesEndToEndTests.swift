import CalotypeTesting
import Foundation
import TestSupport
import Testing

/// Files in the documents for other programs, checked with these programs.
@Suite(.gated) struct OperatingFilesEndToEndTests {
    private static let documents = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Docs/service")

    @Test(
        .enabled(if: ServerProcess.find("promtool") != nil, "promtool is not installed"),
        arguments: ["check rules alerts.yaml", "test rules alerts-test.yaml"]
    )
    func `Prometheus accepts the alert rules, and each fires as tested`(
        command: String
    ) async throws {
        let folder = try ScratchFolder()
        let outcome = try await Tool.shell("cd '\(Self.documents.path)' && promtool \(command)", in: folder)
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test(
        .enabled(if: NginxServer.isInstalled, "nginx is not installed: Scripts/setup installs it"),
        arguments: ["rate-limits.md", "several-instances.md", "key-rotation.md"]
    )
    func `nginx accepts the configurations of the documents`(page: String) async throws {
        let text = try String(contentsOf: Self.documents.appending(path: page), encoding: .utf8)
        let blocks = text.components(separatedBy: "```nginx\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        try #require(!blocks.isEmpty)
        let folder = try ScratchFolder()
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.path)/\($0);"
        }
        let settings = """
            pid \(folder.path)/pid; error_log \(folder.path)/log; events {}
            http { access_log off; \(temporary.joined(separator: " "))
            \(blocks.joined(separator: "\n"))
            }
            """
        try Data(settings.utf8).write(to: URL(filePath: "\(folder.path)/nginx.conf"))
        let program = try #require(ServerProcess.find("nginx"))
        let line =
            "'\(program)' -t -p '\(folder.path)' -c '\(folder.path)/nginx.conf' -e '\(folder.path)/log'"
        let outcome = try await Tool.shell(line, in: folder)
        #expect(outcome.status == 0 && !outcome.errors.contains("[warn]"), "\(outcome)")
    }
}
