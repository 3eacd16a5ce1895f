import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing

@Suite(.blocking, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct TIFFCorpusTests {
    static let files = SharedCorpus.files(format: .tiff)

    @Test(arguments: files.filter { $0.expected == .ok })
    func `a sound file has the pixels of its reference or an optional feature`(file: CorpusFile) throws {
        do {
            let image = try CodecRegistry.standard.decode(file.bytes(), options: CorpusTests.plain)
            #expect(image.size.width == file.width && image.size.height == file.height)
            let reference = try #require(file.reference)
            if let exact = reference.rgba8Sha256 {
                let candidates = (reference.candidates ?? [:]).values.map(\.rgba8Sha256)
                #expect(([exact, reference.rgba8RoundedSha256] + candidates).contains(image.digest))
            } else {
                let grid = PixelGrid(values: try #require(reference.rgb16x16).map(Double.init))
                let tolerance = try #require(reference.tolerance)
                let difference = PixelGrid(image).difference(to: grid)
                #expect(difference.mean <= tolerance.mean && difference.worst <= tolerance.cell)
            }
        } catch let error as DecodeError {
            #expect(file.optionalFeature == true && error.code == .unsupportedFeature, "\(error)")
        }
    }

    @Test(arguments: files.filter { $0.expected == .ok && $0.optionalFeature != true })
    func `the header tells what the manifest tells`(file: CorpusFile) throws {
        let info = try CodecRegistry.standard.info(of: file.bytes())
        #expect(info.format == .tiff)
        #expect(info.size.width == file.width && info.size.height == file.height)
        #expect(info.displaySize.width == file.displayWidth && info.displaySize.height == file.displayHeight)
        #expect(info.orientation.rawValue == file.orientation ?? 1)
        #expect(info.frameCount == 1 && info.loopCount == nil)
        #expect(info.hasAlpha == file.alpha)
        #expect(try CodecRegistry.standard.decode(file.bytes()).pixelFormat == info.pixelFormat)
    }

    @Test(arguments: files.filter { $0.expected != .ok })
    func `a damaged file has an outcome that is acceptable`(file: CorpusFile) throws {
        do {
            _ = try CodecRegistry.standard.decode(file.bytes(), options: CorpusTests.plain)
            #expect(file.acceptable.contains(.ok))
        } catch let error as DecodeError {
            #expect(file.acceptable.contains(.error), "\(error)")
            #expect(!error.detail.isEmpty)
        }
    }
}
