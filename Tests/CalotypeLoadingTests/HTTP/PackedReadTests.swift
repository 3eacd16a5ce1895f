import CalotypeLoading
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// The part of a compressed body that is in memory at once.
@Suite(.blocking, .enabled(if: Packer.isInstalled, "python3 is not installed"))
struct PackedReadTests {
    @Test func `a compressed body comes in parts that a budget can count`() async throws {
        var state: UInt64 = 1
        var picture = Data(count: 32 << 20)
        for index in stride(from: 0, to: picture.count, by: 300) {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            picture[index] = UInt8(truncatingIfNeeded: state >> 56)
        }
        let packed = try Packer.pack(picture, as: "gzip")
        // Less than the ratio from which a body counts as a bomb.
        try #require(packed.count > picture.count / 240)
        let routes = [
            "/": OriginResponse(
                headers: [OriginField("Content-Encoding", "gzip")],
                steps: [.bytes(packed)]
            )
        ]
        try await withOrigin(routes) { origin, loader async throws in
            let response = try await loader.response(for: FetchRequest(url: origin.url("/")))
            var (count, largest) = (0, 0)
            for try await chunk in response.body {
                count += chunk.count
                largest = max(largest, chunk.count)
            }
            #expect(count == picture.count)
            // A read of 16 KiB at the most plausible ratio.
            #expect(largest <= 4 << 20)
        }
    }
}
