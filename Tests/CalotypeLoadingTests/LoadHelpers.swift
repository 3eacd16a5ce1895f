import CalotypeLoading
import FoundationEssentials
import Testing

extension DataLoader {
    func data(_ url: URL, headers: [HeaderField] = [], maxByteCount: Int = 64 << 20) async throws -> Data {
        let request = FetchRequest(url: url, headers: headers, maxByteCount: maxByteCount)
        return try await response(for: request).collected()
    }
}

/// The error that the work throws.
func failure<Value>(
    _ work: () async throws -> Value,
    at location: SourceLocation = #_sourceLocation
) async -> FetchError? {
    do {
        _ = try await work()
        Issue.record("it did not fail", sourceLocation: location)
        return nil
    } catch let error as FetchError {
        return error
    } catch {
        Issue.record("it failed with \(error)", sourceLocation: location)
        return nil
    }
}

/// Bytes that differ by position.
func sampleBytes(_ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
}
