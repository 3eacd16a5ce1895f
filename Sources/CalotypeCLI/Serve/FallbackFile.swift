import CalotypeCore
import CalotypeLoading
import Foundation

/// The image of the setting `fallback-image`: a file, or a `data:` URL.
enum FallbackFile {
    /// Returns its bytes.
    ///
    /// - Throws: ``CalotypeLoading/FetchError`` if it cannot be read.
    static func read(_ path: String, limits: DecodeLimits) async throws -> Data {
        guard path.hasPrefix("data:"), let url = URL(string: path) else {
            return try await FileBytes.read(path, limits: limits)
        }
        let request = FetchRequest(url: url, maxByteCount: limits.maxByteCount)
        return try await DataURLLoader().response(for: request).collected()
    }
}
