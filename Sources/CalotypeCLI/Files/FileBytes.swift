import CalotypeCore
import CalotypeLoading
import Foundation

/// Reads files that a person names.
enum FileBytes {
    private static let loader = FileDataLoader()

    /// All bytes of a regular file, on threads that may block.
    ///
    /// - Throws: ``CalotypeLoading/FetchError``, also where there are more bytes than the limits allow.
    static func read(_ path: String, limits: DecodeLimits = DecodeLimits()) async throws -> Data {
        let request = FetchRequest(url: URL(filePath: path), byteCountMax: limits.byteCountMax)
        return try await loader.response(for: request).collected()
    }
}
