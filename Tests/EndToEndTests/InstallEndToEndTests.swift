import ArgumentParser
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct InstallEndToEndTests {
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

    @Test(.enabled(if: isInstalled("man") && PythonServer.isInstalled, "man or python3 is not installed"))
    func `lists of the help are lists in the manual pages`() async throws {
        let folder = try ScratchFolder()
        _ = try await Tool.run([Tool.executable.path, folder.path], of: Self.script)
        func lines(_ name: String) async throws -> [String] {
            let line = "MANWIDTH=100 man -l '\(folder.path)/\(name).1' | col -bx"
            let outcome = try await Tool.shell(line, in: folder)
            #expect(outcome.status == 0, "\(outcome)")
            return outcome.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let convert = try await lines("calotype-convert")
        #expect(convert.contains("calotype convert IN OUT"))
        #expect(convert.contains { $0.hasPrefix("calotype convert IN") && $0.hasSuffix("[--format webp]") })
        let serve = try await lines("calotype-serve")
        for setting in ServeSetting.all {
            #expect(
                serve.contains { $0 == setting.flag || $0.hasPrefix(setting.flag + " ") },
                "\(setting.flag)"
            )
            let values =
                "Values: \(setting.range). Default: \(setting.standard.isEmpty ? "none" : setting.standard)."
            #expect(Self.solid(serve.joined()).contains(Self.solid(values)), "\(values)")
        }
        let transforms = try await lines("calotype-transforms")
        for word in ["COLOR is ", "NUMBER and DEGREES ", "GRAVITY is ", "BLEND is "] {
            #expect(transforms.contains { $0.hasPrefix(word) }, "\(word)")
        }
        let root = try await lines("calotype")
        #expect(root.contains { $0.hasPrefix("130") && $0.hasSuffix("interrupted") }, "\(root)")
    }

    /// A text without characters of line breaking: blanks and hyphens.
    private static func solid(_ text: String) -> String { text.filter { !" -\u{2010}".contains($0) } }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func installService(_ variables: String, in folder: ScratchFolder) async throws {
        let outcome = try await Tool.shell(
            "make -s -C '\(root.path)' install-service \(variables)",
            in: folder
        )
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
    }

    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(.enabled(if: isInstalled("make"), "make is not installed"))
    func `the service's files are installed with their paths and modes`() async throws {
        let folder = try ScratchFolder()
        try await Self.installService("DESTDIR='\(folder.path)/root'", in: folder)
        let library = "\(folder.path)/root/usr/local/lib"
        let documents = "\(folder.path)/root/usr/local/share/doc/calotype"
        let configuration = "\(folder.path)/root/etc/calotype"
        let modes = [
            "\(library)/systemd/system/calotype.service": 0o644,
            "\(library)/systemd/system/calotype.socket": 0o644,
            "\(library)/sysusers.d/calotype.conf": 0o644, "\(library)/tmpfiles.d/calotype.conf": 0o644,
            "\(documents)/config.json": 0o644, "\(documents)/environment": 0o644,
            "\(documents)/alerts.yaml": 0o644, "\(documents)/dashboard.json": 0o644,
            // Both may contain keys.
            "\(configuration)/config.json": 0o640, "\(configuration)/environment": 0o600,
        ]
        for (path, mode) in modes { #expect(try Self.mode(path) == mode, "\(path)") }
    }

    @Test(.enabled(if: isInstalled("make"), "make is not installed"))
    func `an installation preserves the settings of an operator`() async throws {
        let folder = try ScratchFolder()
        let prefix = "PREFIX='\(folder.path)'"
        try await Self.installService(prefix, in: folder)
        let own = Data("{\"quality\": 70}".utf8)
        for name in ["config.json", "environment"] {
            let path = "\(folder.path)/etc/calotype/\(name)"
            try own.write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: path)
        }
        try await Self.installService(prefix, in: folder)
        for name in ["config.json", "environment"] {
            let path = "\(folder.path)/etc/calotype/\(name)"
            #expect(FileManager.default.contents(atPath: path) == own)
            #expect(try Self.mode(path) == 0o604)
        }
    }

    @Test(.enabled(if: isInstalled("make") && isInstalled("systemd-analyze"), "systemd is not installed"))
    func `systemd accepts the installed units, which name the installed files`() async throws {
        let folder = try ScratchFolder()
        try await Self.installService("PREFIX='\(folder.path)'", in: folder)
        let unit = try String(
            contentsOfFile: "\(folder.path)/lib/systemd/system/calotype.service",
            encoding: .utf8
        )
        #expect(unit.contains("ExecStart=\(folder.path)/bin/calotype serve\n"))
        #expect(unit.contains("CALOTYPE_CONFIG=\(folder.path)/etc/calotype/config.json\n"))
        #expect(unit.contains("EnvironmentFile=-\(folder.path)/etc/calotype/environment\n"))
        let outcome = try await Tool.shell(
            """
            mkdir bin && ln -s '\(Tool.executable.path)' bin/calotype \
                && systemd-analyze verify --man=no lib/systemd/system/calotype.{service,socket}
            """,
            in: folder
        )
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    }

    /// A typed line, and the completion of its last word.
    private static let completions = [
        ("convert -f we", "webp"), ("convert --format av", "avif"), ("convert a -t resi", "resize:"),
        ("convert -t resize:fi", "fit="), ("help co", "convert"), ("serve --log-f", "--log-format"),
        ("serve --log-format j", "json"), ("cache na", "namespaces"), ("load --mode=fil", "fill"),
    ]

    @Test(arguments: completions)
    func `bash completes values`(line: String, expected: String) async throws {
        let folder = try ScratchFolder()
        let script = """
            PATH="\(Tool.executable.deletingLastPathComponent().path):$PATH"
            source <('\(Tool.executable.path)' --generate-completion-script bash)
            COMP_LINE='calotype \(line)' COMP_POINT=${#COMP_LINE} COMP_WORDS=('\(Tool.executable.path)')
            COMP_POINT=${#COMP_LINE}; _calotype; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let outcome = try await Tool.shell(script, in: folder)
        #expect(outcome.output.split(separator: "\n").contains(expected[...]), "\(outcome)")
    }

    @Test(.enabled(if: isInstalled("fish"), "fish is not installed"), arguments: completions)
    func `fish completes values`(line: String, expected: String) async throws {
        let folder = try ScratchFolder()
        let script = """
            export PATH="\(Tool.executable.deletingLastPathComponent().path):$PATH" HOME="$PWD"
            '\(Tool.executable.path)' --generate-completion-script fish > calotype.fish
            fish --no-config -c "source calotype.fish; complete -C 'calotype \(line)'"
            """
        let outcome = try await Tool.shell(script, in: folder)
        let found = outcome.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
        #expect(found.contains { $0.hasSuffix(expected) }, "\(outcome)")
    }

    @Test(.enabled(if: isInstalled("zsh"), "zsh is not installed"), arguments: completions)
    func `zsh completes values`(line: String, expected: String) async throws {
        let folder = try ScratchFolder()
        // Captured in the function that adds candidates; the rest of zsh's completion needs a terminal.
        let script = """
            export PATH="\(Tool.executable.deletingLastPathComponent().path):$PATH"
            '\(Tool.executable.path)' --generate-completion-script zsh > _calotype
            cat > test.zsh <<'END'
            compdef() { : }; _files() { : }
            compadd() { print -rl -- "${(@P)@[-1]}" }
            source ./_calotype
            words=(calotype ${=1}); CURRENT=${#words}; PREFIX=$words[-1]
            _calotype
            END
            zsh -f test.zsh '\(line)'
            """
        let outcome = try await Tool.shell(script, in: folder)
        let found = outcome.output.split(separator: "\n")
        #expect(found.contains { $0.hasSuffix(expected) }, "\(outcome)")
    }

    /// Whether a program is in one of the usual folders.
    private static func isInstalled(_ name: String) -> Bool {
        ["/bin/", "/usr/bin/", "/usr/local/bin/"].contains {
            FileManager.default.isExecutableFile(atPath: $0 + name)
        }
    }

    /// The names of a command and its subcommands, in the form of manual pages.
    private static func names(of command: any ParsableCommand.Type, after prefix: String) -> [String] {
        let name = prefix + command._commandName
        return [name] + shown(below: command).flatMap { names(of: $0, after: name + "-") }
    }

    private static func shown(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    }
}
