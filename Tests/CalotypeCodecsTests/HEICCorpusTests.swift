import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing

@Suite(.blocking, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct HEICCorpusTests {
    static let sound = SharedCorpus.files(format: .heic).filter { $0.expected == .ok }
    static let damaged = SharedCorpus.files(format: .heic).filter { $0.expected != .ok }

    @Test(arguments: sound)
    func `a sound file has the pixels of its reference`(file: CorpusFile) throws {
        try HEIFCorpus.expectReference(file)
    }

    @Test(arguments: sound)
    func `the header tells what the manifest and the decode tell`(file: CorpusFile) throws {
        try HEIFCorpus.expectHeader(file)
    }

    @Test(arguments: damaged)
    func `a damaged file has an outcome that is acceptable`(file: CorpusFile) throws {
        try HEIFCorpus.expectAcceptable(file)
    }
}
