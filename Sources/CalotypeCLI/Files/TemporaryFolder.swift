import CalotypeSupport
import Foundation

/// A temporary folder for one run of the program.
struct TemporaryFolder: Sendable {
    let path: String

    /// Creates a folder in the system's folder for temporary files.
    ///
    /// - Throws: ``CommandError``.
    static func make() async throws(CommandError) -> TemporaryFolder {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "calotype-\(UUID().uuidString)").path(percentEncoded: false)
        try await OutputWriter.makeFolder(path)
        return TemporaryFolder(path: path)
    }

    /// Removes the folder and its contents.
    func remove() async {
        await BlockingPool.command.run {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                // The system cleans up its folder for temporary files.
            }
        }
    }
}
