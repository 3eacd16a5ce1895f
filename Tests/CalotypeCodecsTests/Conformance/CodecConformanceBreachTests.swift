import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import QOICodec
import TestSupport
import Testing

@Suite(.blocking) struct CodecConformanceBreachTests {
    /// Four frames of one size, shown for 30 to 120 ms, played three times.
    private static func flipbook() throws -> Data {
        var data = Data("flip".utf8) + Data([4, 3])
        for index in 0..<4 {
            let picture = TestImages.photograph(PixelSize(width: 24, height: 15), seed: UInt64(index))
            let frame = try QOIEncoder().encode(picture)
            data.append(UInt8(3 * (index + 1)))
            data += bigEndian32(frame.count).dropFirst() + frame
        }
        return data
    }

    /// The breach reported by the suite, or a separate value if the codec throws by mistake.
    private func breach(
        _ defect: FlipbookDecoder.Defect?,
        encoder: FlipbookEncoder = FlipbookEncoder(),
        others: [any ImageEncoder] = []
    ) throws -> CodecConformance.Breach? {
        let check = CodecConformance(
            FlipbookDecoder(defect: defect),
            encoders: [encoder] + others,
            samples: [CodecConformance.Sample("a flipbook", try Self.flipbook())],
            encodesAnimations: true
        )
        do {
            try check.run()
            return nil
        } catch let breach as CodecConformance.Breach {
            return breach
        } catch let error as DecodeError {
            return CodecConformance.Breach(promise: "what is sound decodes", circumstances: "\(error)")
        }
    }

    @Test func `an animated codec without a defect passes`() throws {
        let breach = try breach(nil, others: [FlipbookEncoder(isStill: true)])
        #expect(breach == nil, "\(String(describing: breach))")
    }

    @Test(arguments: FlipbookDecoder.Defect.allCases)
    func `a decoder with a defect fails the check`(defect: FlipbookDecoder.Defect) throws {
        let breach = try #require(try breach(defect))
        #expect(!breach.promise.isEmpty && breach.description.hasPrefix("broken: "))
    }

    @Test func `an encoder with a defect fails the check`() throws {
        #expect(try breach(nil, encoder: FlipbookEncoder(isStill: true)) != nil)
        #expect(try breach(nil, encoder: FlipbookEncoder(forgetsDurations: true)) != nil)
        #expect(try breach(nil, others: [FlipbookEncoder()])?.promise.contains("identities") == true)
    }
}
