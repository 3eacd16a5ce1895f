import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing

/// The hostile files beside the package, each in a process of its own: pixels or an error, soon.
@Suite(.blocking, .serialized, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct SharedHostileTests {
    @Test(arguments: [
        "jx_hidden64m.jxl", "jx_hidden900m.jxl", "jx_hidden_x200.jxl", "jx_layers20.jxl", "jx_rct100.jxl",
        "bad.jxl", "ar_half.jpg",
    ])
    func `a file ends soon and takes little memory`(name: String) throws {
        let folder = try #require(SharedCorpus.root).appending(path: "hostile")
        let report = try ProbeReport(of: Data(contentsOf: folder.appending(path: name)))
        #expect(report.milliseconds <= HostileFileTests.millisecondsMax, "\(report)")
        #expect(report.kilobytes <= 300_000, "\(report)")
    }
}
