import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import TestTraits
import Testing

/// The hostile files beside the package, each in a process of its own: pixels or an error, soon.
@Suite(.blocking, .serialized, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct SharedHostileTests {
    private static let folder = SharedCorpus.root?.appending(path: "hostile")

    private static let names: [String] = {
        guard let folder else { return [] }
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            return names.filter { $0 != "README.md" && $0 != "make" }.sorted()
        } catch {
            preconditionFailure("the hostile files cannot be listed: \(error)")
        }
    }()

    @Test(arguments: names)
    func `a file ends soon and takes little memory`(name: String) throws {
        let folder = try #require(Self.folder)
        let report = try ProbeReport(of: Data(contentsOf: folder.appending(path: name)))
        #expect(report.milliseconds <= HostileFileTests.millisecondsMax, "\(report)")
        #expect(report.kilobytes <= 300_000, "\(report)")
    }
}
