import CalotypeCore
import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeCLI

private enum Locks {
    /// Whether this machine locks workers in: not where a container forbids seccomp, say.
    static let areAvailable: @Sendable () async throws -> Bool = {
        !(try await Tool.run("info", "--sandbox", "/dev/null").errors.contains("notLocked"))
    }
}

/// Commands whose codecs work in workers.
@Suite(.enabled("this machine does not lock codec workers in", Locks.areAvailable))
struct SandboxEndToEndTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    @Test func `decode and convert give the same in workers`() async throws {
        let picture = folder.path + "/a.png"
        try await OutputFile.write(try Pictures.png(), to: picture)
        var digests: [String?] = []
        for (name, flags) in [("here", []), ("there", ["--sandbox"])] {
            let decoded = try await Tool.run(
                ["decode", "--json", picture, "--output", "\(folder.path)/\(name).rgba"] + flags
            )
            #expect(decoded.status == 0)
            digests.append(try decoded.objects.first?["sha256"] as? String)
            let converted = try await Tool.run(["convert", picture, "\(folder.path)/\(name).webp"] + flags)
            #expect(converted.status == 0)
        }
        #expect(digests[0] == digests[1])
        let files = try ["here", "there"].map {
            try Data(contentsOf: URL(filePath: "\(folder.path)/\($0).webp"))
        }
        #expect(files[0] == files[1])
    }

    @Test func `a worker that is started by hand says what it is for`() async throws {
        let outcome = try await Tool.run("codec-worker")
        #expect(outcome.status == 2 && outcome.errors.contains("not by hand"))
    }
}
