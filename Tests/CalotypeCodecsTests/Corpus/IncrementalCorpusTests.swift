import CalotypeCodecs
import CalotypeCore
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct IncrementalCorpusTests {
    static let formats: [ImageFormat] = [.png, .jpeg, .gif, .webP, .jpegXL]
    static let files = formats.flatMap { SharedCorpus.files(format: $0) }
    static let small = files.filter { $0.expected == .ok && $0.width ?? 0 < 1000 }

    @Test(arguments: files)
    func `a file received in chunks gives the same result as the whole`(file: CorpusFile) throws {
        try expectSameOutcome(file.bytes())
    }

    @Test(arguments: small)
    func `previews and other options do not change the result`(file: CorpusFile) throws {
        let data = try file.bytes()
        for options in [
            DecodeOptions(target: .fit(PixelBox(width: 60)), frames: .first),
            DecodeOptions(appliesOrientation: false, convertsToSRGB: false),
        ] {
            let whole = try CodecRegistry.tested.decode(data, options: options)
            var rowCount = 0
            let parted = try decodePiecewise(data, .random, options) { preview in
                #expect(preview.image.size == whole.size && preview.rowCount >= rowCount)
                rowCount = preview.rowCount
            }
            try expectEqual(parted, whole)
        }
    }
}
