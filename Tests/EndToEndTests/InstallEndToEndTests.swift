import ArgumentParser
import CalotypeTesting
import Foundation
import TestServers
import Testing

@testable import CalotypeCLI

/// What `make install` makes of the command.
@Suite struct InstallEndToEndTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Scripts/manual")

    @Test(.enabled(if: PythonServer.isInstalled, "python3 is not installed: Scripts/setup installs it"))
    func `each command has a manual page`() async throws {
        let folder = try ScratchFolder()
        let outcome = try await Tool.run([Tool.executable.path, folder.path], of: Self.script)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = Self.names(of: CalotypeCommand.self, after: "")
        #expect(names.count > 10)
        #expect(try folder.files() == names.map { $0 + ".1" }.sorted())
        let page = try String(contentsOf: URL(filePath: folder.path + "/calotype-load.1"), encoding: .utf8)
        #expect(page.contains("\n.It Fl w , Fl -width Ar width\n"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completions of a shell know each command`(shell: String) async throws {
        let outcome = try await Tool.run("--generate-completion-script", shell)
        #expect(outcome.status == 0 && outcome.errors == "")
        for command in Self.shown(below: CalotypeCommand.self) {
            #expect(outcome.output.contains(command._commandName))
        }
    }

    /// A command's name and those of all below it, in the form of pages of a manual.
    private static func names(of command: any ParsableCommand.Type, after prefix: String) -> [String] {
        let name = prefix + command._commandName
        return [name] + shown(below: command).flatMap { names(of: $0, after: name + "-") }
    }

    private static func shown(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    }
}
