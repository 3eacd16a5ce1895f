import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct APNGDamageTests {
    private static let sound = APNGDecoderTests.animation()

    static let sample: DamageSample = {
        do {
            // Altered below, with valid check sums.
            return DamageSample("apng", try sound.data()) { $0.roundCount = 0 }
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    private func code(_ parts: PNGParts) -> DecodeError.Code? { code(parts.data) }

    private func code(_ data: Data) -> DecodeError.Code? {
        decodeError { try CodecRegistry.tested.decode(data).animation?.decodedFrames() }?.code
    }

    @Test func `a wrong sequence number is corrupt`() throws {
        let parts = try Self.sound.parts()
        #expect(code(parts) == nil)
        for index in parts.chunks.indices where ["fcTL", "fdAT"].contains(parts.chunks[index].type) {
            var damaged = parts
            damaged.chunks[index].payload = bigEndian32(77) + damaged.chunks[index].payload.dropFirst(4)
            #expect(code(damaged) == .corrupt, "chunk \(index)")
        }
    }

    @Test func `missing or misplaced frame chunks are corrupt`() throws {
        let parts = try Self.sound.parts()
        for index in parts.chunks.indices where ["fcTL", "fdAT"].contains(parts.chunks[index].type) {
            var missing = parts
            missing.chunks.remove(at: index)
            #expect(code(missing) == .corrupt, "without chunk \(index)")
            var twice = parts
            twice.chunks.insert(twice.chunks[index], at: index)
            #expect(code(twice) == .corrupt, "chunk \(index) twice")
        }
    }

    @Test func `the first frame alone decodes if the animation is invalid`() throws {
        var parts = try Self.sound.parts()
        let still = try CodecRegistry.tested.decode(parts.data, options: DecodeOptions(frames: .first))
        let index = try #require(parts.chunks.lastIndex { $0.type == "fcTL" })
        parts.chunks[index].payload = bigEndian32(77) + parts.chunks[index].payload.dropFirst(4)
        #expect(code(parts) == .corrupt)
        let image = try CodecRegistry.tested.decode(parts.data, options: DecodeOptions(frames: .first))
        #expect(image.bytes == still.bytes && image.animation == nil)
    }

    @Test(arguments: [(4, 14), (8, 12), (12, 8), (16, 7), (4, 0), (8, 0), (12, 0x7FFF_FFFF)])
    func `a rectangle outside the canvas is corrupt`(offset: Int, value: Int) throws {
        var parts = try Self.sound.parts()
        // The rectangle of the second frame: 6 × 5 at 2, 3 on 13 × 11.
        let index = try #require(
            parts.chunks.indices.filter { parts.chunks[$0].type == "fcTL" }.dropFirst().first
        )
        parts.chunks[index].payload.replaceSubrange(offset..<offset + 4, with: bigEndian32(value))
        #expect(code(parts) == .corrupt)
    }

    @Test(arguments: [24, 25]) func `an undefined disposal or blending is corrupt`(offset: Int)
        throws
    {
        var parts = try Self.sound.parts()
        let index = try #require(parts.chunks.lastIndex { $0.type == "fcTL" })
        parts.chunks[index].payload[offset] = 3
        #expect(code(parts) == .corrupt)
    }

    @Test func `a default image that is a frame covers the canvas`() throws {
        var parts = try Self.sound.parts()
        let index = try #require(parts.chunks.firstIndex { $0.type == "fcTL" })
        parts.chunks[index].payload.replaceSubrange(4..<8, with: bigEndian32(12))
        #expect(code(parts) == .corrupt)
    }

    @Test(arguments: ["acTL", "fcTL", "fdAT"])
    func `a wrong check sum in the animation is corrupt`(type: String) throws {
        var data = try Self.sound.data()
        let start = try #require(data.indices.last { data[$0...].starts(with: type.utf8) })
        data[start + 5] ^= 1
        #expect(code(data) == .corrupt)
    }

    /// With valid check sums, so that the damage itself is detected.
    @Test func `damaged frames give errors or images of the right size`() throws {
        var random = SeededGenerator(seed: 5)
        let limits = DecodeLimits(maxPixelCount: 1_000_000)
        for round in 0..<200 {
            var parts = try Self.sound.parts()
            let index = Int.random(in: 0..<parts.chunks.count - 1, using: &random)
            parts.chunks[index].payload = parts.chunks[index].payload.flippingBits(1, using: &random)
            do {
                let image = try CodecRegistry.tested.decode(
                    parts.data,
                    options: DecodeOptions(limits: limits)
                )
                for frame in 0..<(image.animation?.frameCount ?? 0) {
                    #expect(try image.animation?.decodeFrame(at: frame).size == image.size)
                }
            } catch let error as DecodeError {
                #expect(!error.detail.isEmpty, "seed 5, round \(round)")
            }
        }
    }
}
