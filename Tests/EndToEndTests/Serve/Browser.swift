import CalotypeTesting
import Foundation
import TestSupport
import Testing

enum Browser {
    /// The path, or `nil` if it is not installed.
    static let path = ServerProcess.find("chromium")

    static let isInstalled = path != nil
    static let advice: Comment = "chromium is not installed: Scripts/setup browser"

    /// The elements of a page after some seconds of the browser's virtual time, which is paused during loads.
    static func page(_ url: String, in folder: ScratchFolder) async throws -> String {
        let outcome = try await Tool.run(
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder.path)/profile",
                "--virtual-time-budget=5000", "--dump-dom", url,
            ],
            of: URL(filePath: try #require(path))
        )
        return outcome.output
    }
}
