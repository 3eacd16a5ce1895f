import CalotypeCore
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@Suite(.blocking, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct SniffingCorpusTests {
    @Test(arguments: SharedCorpus.files.filter { $0.expected == .ok })
    func `an intact file is recognised as its format`(file: CorpusFile) throws {
        #expect(ImageFormat(sniffing: try file.bytes())?.rawValue == file.format)
    }
}
