import CalotypeTesting
import Foundation

/// Whether this machine can sandbox workers; a container may forbid seccomp, for example.
enum Locks {
    static let areAvailable: @Sendable () async throws -> Bool = {
        !(try await Tool.run("info", "--sandbox", "/dev/null").errors.contains("notLocked"))
    }

    /// Whether the workers also draw letters, which needs librsvg and Landlock.
    static let drawText: @Sendable () async throws -> Bool = {
        guard try await areAvailable() else { return false }
        let folder = try ScratchFolder()
        let text = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text y='9'>W</text></svg>"
        try Data(text.utf8).write(to: URL(filePath: folder.path).appending(path: "a.svg"))
        let outcome = try await Tool.shell("calotype convert --sandbox a.svg a.png", in: folder)
        return outcome.status == 0 && outcome.errors.isEmpty
    }
}
