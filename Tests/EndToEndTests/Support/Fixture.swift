import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation

@testable import CalotypeCLI

extension OutputFile {
    /// Writes a file for a test, replacing an existing one.
    static func write(_ data: Data, to path: String) async throws {
        try await OutputWriter(protecting: [], existing: .replaced).write(data, to: path)
    }
}

extension ScratchFolder {
    /// Writes a file and returns its path.
    func file(_ name: String, _ data: Data) async throws -> String {
        try await OutputFile.write(data, to: path + "/" + name)
        return path + "/" + name
    }
}

/// Returns the decoded image of a file.
func image(_ path: String) throws -> Image {
    try CodecRegistry.standard.decode(Data(contentsOf: URL(filePath: path)))
}
