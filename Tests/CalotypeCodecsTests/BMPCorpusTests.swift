import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing

/// The corpus' bitmaps and icons.
@Suite(.blocking, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct BMPCorpusTests {
    static let files = SharedCorpus.files(format: .bmp) + SharedCorpus.files(format: .ico)
    static let sound = files.filter { $0.expected == .ok }
    static let damaged = files.filter { $0.expected != .ok }

    @Test(arguments: sound)
    func `a sound file has the pixels of its reference or of a candidate`(file: CorpusFile) throws {
        do throws(DecodeError) {
            let image = try CodecRegistry.standard.decode(bytes(of: file), options: CorpusTests.plain)
            #expect(image.size.width == file.width && image.size.height == file.height)
            let digests = [file.reference?.rgba8Sha256] + candidates(file)
            #expect(digests.contains(image.digest))
        } catch {
            #expect(file.optionalFeature == true && error.code == .unsupportedFeature, "\(error)")
        }
    }

    private func candidates(_ file: CorpusFile) -> [String?] {
        (file.reference?.candidates ?? [:]).values.map(\.rgba8Sha256)
    }

    @Test(arguments: sound)
    func `the header tells what the manifest tells`(file: CorpusFile) throws {
        do throws(DecodeError) {
            let data = bytes(of: file)
            let info = try CodecRegistry.standard.info(of: data)
            #expect(info.format.rawValue == file.format && info.frameCount == 1)
            #expect(info.size.width == file.width && info.size.height == file.height)
            #expect(info.pixelFormat == (try CodecRegistry.standard.decode(data).pixelFormat))
            #expect(info.hasAlpha == file.alpha)
        } catch {
            #expect(file.optionalFeature == true && error.code == .unsupportedFeature, "\(error)")
        }
    }

    @Test(arguments: damaged)
    func `a damaged file has an outcome that is acceptable`(file: CorpusFile) throws {
        let error = decodeError {
            try CodecRegistry.standard.decode(bytes(of: file), options: CorpusTests.plain)
        }
        #expect(file.acceptable.contains(error == nil ? .ok : .error), "\(String(describing: error))")
        if file.path.hasSuffix("Bad_reallybig.bmp") { #expect(error?.code == .limitExceeded) }
    }

    private func bytes(of file: CorpusFile) -> Data {
        do {
            return try file.bytes()
        } catch {
            preconditionFailure("\(file.path): \(error)")
        }
    }
}
