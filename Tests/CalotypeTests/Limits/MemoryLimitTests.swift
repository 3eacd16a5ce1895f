import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// The memory of a process with full caches, compared with its limits.
///
/// Each case is a separate process, in which nothing else allocates or frees memory.
@Suite(
    .gated,
    .serialized,
    .skipped(under: .thread, because: "measures memory, of which the sanitizer has as much again")
) struct MemoryLimitTests {
    static let limit = 8 << 20

    @Test func `encoded results of any size stay within the memory limit`() async {
        await #expect(processExitsWith: .success) { try await fillEncodedMemory(byteCount: 70) }
        await #expect(processExitsWith: .success) { try await fillEncodedMemory(byteCount: 8_000) }
        await #expect(processExitsWith: .success) { try await fillEncodedMemory(byteCount: 200_000) }
    }

    @Test func `results of each encoder stay within the memory limit`() async {
        await #expect(processExitsWith: .success) { try await fillEncodedMemory(by: .png) }
        await #expect(processExitsWith: .success) { try await fillEncodedMemory(by: .jpeg(quality: 80)) }
        await #expect(processExitsWith: .success) { try await fillEncodedMemory(by: .webP(quality: 80)) }
    }

    @Test func `small decoded images stay within the memory limit`() async {
        await #expect(processExitsWith: .success) { try await fillDecodedMemory() }
    }
}

/// A loader that retains nothing of its requests.
private struct Pictures: DataLoader {
    let byteCount: Int

    func response(for request: FetchRequest) async throws -> FetchResponse {
        let data = FakeImageDecoder.data(width: 4, height: 2)
        return .network(request.url, data + Data(repeating: 1, count: max(0, byteCount - data.count)))
    }
}

/// A pipeline in which every URL has an image of about this number of bytes.
private func pipeline(byteCount: Int, _ change: (inout ImageCache.Memory) -> Void = { _ in }) -> ImagePipeline
{
    var codecs = CodecRegistry.standard
    codecs.register(FakeImageDecoder())
    var memory = ImageCache.Memory(costLimit: 0)
    change(&memory)
    var configuration = ImagePipeline.Configuration(
        cache: ImageCache(memory: memory, stores: [], codecs: codecs),
        loader: Pictures(byteCount: byteCount)
    )
    configuration.encodedCostLimit = MemoryLimitTests.limit
    return ImagePipeline(configuration)
}

private func request(_ number: Int) throws -> ImageRequest {
    let name = String(repeating: "a", count: 200)
    return ImageRequest(url: try #require(URL(string: "https://example.org/\(name)/\(number).fake")))
}

/// Loads until the caches are full, and traps if the process has grown beyond the limit.
private func fill(_ pipeline: ImagePipeline, _ load: (Int) async throws -> Void) async throws {
    for number in 0..<20 { try await load(number) }
    let before = try residentByteCount()
    var (number, level) = (20, -1)
    // Until the cost no longer grows.
    while pipeline.memoryCost > level {
        level = pipeline.memoryCost
        for _ in 0..<500 {
            try await load(number)
            number += 1
        }
    }
    let growth = try residentByteCount() - before
    let most = MemoryLimitTests.limit * 115 / 100 + 8 << 20
    precondition(growth <= most, "grown by \(growth >> 20) MiB at a limit of \(MemoryLimitTests.limit >> 20)")
}

private func fillEncodedMemory(byteCount: Int) async throws {
    let pipeline = pipeline(byteCount: byteCount)
    try await fill(pipeline) { _ = try await pipeline.data(for: request($0)) }
}

private func fillEncodedMemory(by encoding: ImageEncoding) async throws {
    let pipeline = pipeline(byteCount: 70)
    try await fill(pipeline) { number in
        var request = try request(number)
        request.encoding = encoding
        _ = try await pipeline.data(for: request)
    }
}

private func fillDecodedMemory() async throws {
    let pipeline = pipeline(byteCount: 70) { $0 = ImageCache.Memory(costLimit: MemoryLimitTests.limit) }
    try await fill(pipeline) { _ = try await pipeline.image(for: request($0)) }
}

extension ImagePipeline {
    fileprivate var memoryCost: Int {
        stages.sources.encodedMemory.statistics.cost + cache.statistics.memory.cost
    }
}

private func residentByteCount() throws -> Int {
    let text = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/statm")), as: UTF8.self)
    return try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 4_096
}
