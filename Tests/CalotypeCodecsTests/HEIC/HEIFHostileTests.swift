import CalotypeCodecs
import CalotypeCore
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

/// Files that once leaked other images, took gigabytes or worked for minutes, each decoded in its own
/// process.
@Suite(.blocking, .serialized, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct HEIFHostileTests {
    static let refused = [
        "hole.heic", "hole2.heic", "hole.avif", "sl_only0.heic", "sl_no1.heic", "g_bomb1m.heic",
        "g_8000.heic",
        "irot250.heic", "a_bomb4096.avif", "units_b.heic",
    ]

    private func report(_ name: String) throws -> ProbeReport {
        let folder = try #require(SharedCorpus.root).appending(path: "hostile")
        return try ProbeReport(of: Data(contentsOf: folder.appending(path: name)))
    }

    @Test(arguments: refused)
    func `a leaking or costly file is refused`(name: String) throws {
        let report = try report(name)
        let codes: Set<String> = [DecodeError.Code.corrupt.label, DecodeError.Code.limitExceeded.label]
        #expect(codes.contains(report.decode), "\(report)")
        #expect(codes.contains(report.header) || report.header == "ok", "\(report)")
        #expect(report.milliseconds <= HostileFileTests.maxMilliseconds, "\(report)")
        #expect(report.kilobytes <= HostileFileTests.maxKilobytes, "\(report)")
    }

    @Test(arguments: ["sl_all.heic", "secret.heic"])
    func `the intact files beside them are decoded`(name: String) throws {
        let report = try report(name)
        #expect(report.header == "ok" && report.decode == "ok", "\(report)")
        #expect(report.byteCount == 512 * 512 * 3, "\(report)")
    }
}
