import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct VariantMetadataTests {
    private static let still = ImageInfo(
        format: .avif,
        size: PixelSize(width: 70_000, height: 1),
        orientation: .leftMirrored,
        hasAlpha: true,
        hasColorProfile: true,
        bitDepth: 12,
        dynamicRange: .pq,
        pixelFormat: .rgba16
    )
    private static let animation = ImageInfo(
        format: .gif,
        size: PixelSize(width: 1, height: 2),
        frameCount: 300,
        loopCount: .times(3),
        animationDuration: .milliseconds(1_234) + .nanoseconds(5),
        pixelFormat: .rgb8
    )

    private func record(_ fields: [String: String] = ["Cache-Control": "max-age=60"]) throws -> ResponseRecord
    {
        let request = FetchRequest(url: PipelineBench.url, headers: [], priority: LivePriority())
        let response = FetchResponse.network(PipelineBench.url, Data(), fields)
        let now = Timestamp(nanosecondsSince1970: 1_000_000_000)
        return try #require(ResponseRecord(request: request, response: response, receivedAt: now))
    }

    @Test func `metadata of a variant is unchanged after encoding and decoding`() throws {
        var endless = Self.animation
        endless.loopCount = .infinite
        for info in [Self.still, Self.animation, endless] {
            for hash in [nil, 0, UInt64.max] {
                for record in [nil, try record()] {
                    let metadata = VariantMetadata(contentHash: hash, info: info, record: record)
                    #expect(VariantMetadata(encoded: metadata.encoded()) == metadata)
                }
            }
        }
    }

    @Test func `metadata with an impossible duration does not end the process that reads it`() {
        var bytes = VariantMetadata(contentHash: 7, info: Self.animation).encoded()
        // Seconds and attoseconds are the last two numbers, each after a byte.
        let largest = [UInt8](repeating: 0xFF, count: 7) + [0x7F]
        bytes.replaceSubrange((bytes.count - 8)..., with: largest)
        bytes.replaceSubrange((bytes.count - 17)..<(bytes.count - 9), with: largest)
        let duration = VariantMetadata(encoded: bytes)?.info?.animationDuration ?? .zero
        // Above it `Duration.components` traps.
        #expect(duration <= .seconds(Int64.max))
    }

    @Test func `metadata of earlier versions decodes to its content hash`() {
        let bytes = Data([1, 8, 7, 6, 5, 4, 3, 2, 1])
        #expect(VariantMetadata(encoded: bytes) == VariantMetadata(contentHash: 0x0102_0304_0506_0708))
        #expect(VariantMetadata(encoded: bytes + [0]) == nil)
    }

    @Test func `truncated or damaged metadata never decodes to the original value`() throws {
        let whole = VariantMetadata(contentHash: 7, info: Self.animation, record: try record())
        let bytes = whole.encoded()
        let head = VariantMetadata(contentHash: 7, info: Self.animation).encoded().count
        for count in 0..<bytes.count {
            let cut = VariantMetadata(encoded: bytes.prefix(count))
            #expect(count < head ? cut == nil : cut != whole)
        }
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                #expect(VariantMetadata(encoded: damaged) != whole)
            }
        }
    }

    @Test func `a response record that is too long for a store is omitted`() throws {
        let long = try record([
            "Cache-Control": "max-age=60", "ETag": "\"\(String(repeating: "a", count: 1_000))\"",
            "Vary": (0..<260).map { "field-\($0)" }.joined(separator: ","),
        ])
        let metadata = VariantMetadata(contentHash: 1, info: Self.still, record: long)
        #expect(metadata.encoded().count <= 4_096)
        #expect(VariantMetadata(encoded: metadata.encoded())?.info == Self.still)
    }
}
