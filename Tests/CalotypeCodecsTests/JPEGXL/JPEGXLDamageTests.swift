import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct JPEGXLDamageTests {
    static let files: [(name: String, data: Data)] = {
        let size = PixelSize(width: 90, height: 60)
        let files: [(String, JPEGXLEncoder, Image)] = [
            ("lossy", JPEGXLEncoder(effort: 3), TestImages.photograph(size)),
            ("lossy with alpha", JPEGXLEncoder(effort: 5), TestImages.photograph(size, format: .rgba8)),
            ("lossless gray", JPEGXLEncoder(isLossless: true), TestImages.photograph(size, format: .gray8)),
            ("animation", JPEGXLEncoder(effort: 3), TestImages.jxlAnimation(frameCount: 3)),
        ]
        let encoded = files.map { name, encoder, image in
            do {
                return (name, try encoder.encode(image))
            } catch {
                preconditionFailure("\(name): \(error)")
            }
        }
        return encoded + [("container", JPEGXLFixtures.sixteenBits), ("layers", JPEGXLFixtures.layers)]
    }()

    static let samples = files.map { name, data in
        DamageSample(name, data) {
            $0.truncated = [data.count / 2, data.count * 3 / 4, data.count - 1]
            $0.suffixes = [DamageSample.text]
            $0.limits = DecodeLimits(
                maxPixelCount: 200_000,
                maxFrameCount: 100,
                maxFramePixelCount: 2_000_000
            )
        }
    }

    @Test(arguments: ["hello", "\0\0\0\0\0\0\0\0\0\0\0\0"])
    func `invalid data is an error for an explicit decoder`(text: String) {
        let error = decodeError {
            try JPEGXLDecoder().decode(Data(text.utf8), options: DecodeOptions())
        }
        #expect([.corrupt, .truncated].contains(error?.code))
        let empty = decodeError { try JPEGXLDecoder().tested.decode(Data(), options: DecodeOptions()) }
        #expect(empty?.code == .empty)
    }
}
