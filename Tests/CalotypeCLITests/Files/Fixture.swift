import Foundation

@testable import CalotypeCLI

extension OutputFile {
    static func write(_ data: Data, to path: String) async throws {
        try await OutputWriter(protecting: [], existing: .replaced).write(data, to: path)
    }
}
