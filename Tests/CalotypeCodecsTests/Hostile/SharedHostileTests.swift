import CalotypeCodecs
import CalotypeCore
import Foundation
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

/// The hostile files beside the package, each decoded in its own process: pixels or one error, quickly.
@Suite(.blocking, .serialized, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct SharedHostileTests {
    private static let folder = SharedCorpus.root?.appending(path: "hostile")

    /// The expected outcomes of each file.
    private static let outcomes: [String: [String]] = [
        "ok": [
            "ar_half.jpg", "icc_1000.png", "icc_20000.png", "ifdbig.tif", "jx_rct100.jxl", "secret.heic",
            "sl_all.heic", "trns_before_plte.png",
        ],
        "corrupt": [
            "a_bomb4096.avif", "bad.jxl", "g_8000.heic", "g_bomb1m.heic", "hole.avif", "hole.heic",
            "hole2.heic", "irot250.heic", "sl_no1.heic", "sl_only0.heic", "smalltile.tif", "units_b.heic",
        ],
        "limitExceeded": [
            "jx_hidden64m.jxl", "jx_hidden900m.jxl", "jx_hidden_x200.jxl", "jx_layers20.jxl",
            "prog4_9984.jpg", "rle_blank.bmp", "tiff_tags_1m.tif", "tjr4k.tif",
        ],
        "truncated": [
            "tc_group4.tif", "tc_jpeg.tif",
        ],
    ]

    private static let files = outcomes.flatMap { code, names in names.map { (name: $0, outcome: code) } }

    private static func file(_ name: String) throws -> Data {
        try Data(contentsOf: #require(folder).appending(path: name))
    }

    @Test(arguments: files)
    func `a known exploit file ends quickly with pixels or one error`(name: String, outcome: String) throws {
        let report = try ProbeReport(of: Self.file(name))
        #expect(report.decode == outcome, "\(report)")
        #expect(report.milliseconds <= HostileFileTests.maxMilliseconds, "\(report)")
        #expect(report.kilobytes <= 300_000, "\(report)")
    }

    @Test func `every file has an expected outcome`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: #require(Self.folder).path)
        #expect(Set(names).subtracting(["README.md", "make"]) == Set(Self.files.map(\.name)))
    }

    /// The stream does not show that its rest is missing: missing coefficients take no bits.
    @Test(.inBothModes)
    func `an arithmetic JPEG with an end marker is decoded, one without fails`() throws {
        let file = try Self.file("ar_half.jpg")
        let image = try JPEGDecoder().tested.decode(file, options: DecodeOptions())
        #expect(image.metadata.isPartial == false && !image.size.isEmpty)
        let error = decodeError {
            try JPEGDecoder().tested.decode(file.dropLast(2), options: DecodeOptions())
        }
        #expect(error?.code == .truncated)
    }
}
