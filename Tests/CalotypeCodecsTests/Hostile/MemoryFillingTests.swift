import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

/// Earlier memory contents, which may be another user's image, are never shown.
///
/// All memory of a process is filled at once, so files are decoded in separate processes.
@Suite(
    .blocking,
    .serialized,
    .skipped(under: .address, because: "fills the memory of the C library, which the sanitizer replaces")
) struct MemoryFillingTests {
    static let formats = ImageFormat.recognized.filter { $0 != .svg }

    @Test(arguments: formats)
    func `an image decodes to the same pixels whatever the memory held before`(format: ImageFormat) throws {
        let check = CodecConformanceTests.checks.first { $0.decoder.formats.contains(format) }
        let folder = try ScratchFolder()
        var paths: [String] = []
        for (name, file) in try Self.files(try #require(check)) {
            let path = "\(folder.path)/\(paths.count) \(name.replacing("/", with: "-"))"
            try file.write(to: URL(filePath: path))
            paths.append(path)
        }
        try expectEqualOutcomes(paths)
    }

    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"), arguments: formats)
    func `a corpus file decodes to the same pixels whatever the memory held before`(
        format: ImageFormat
    ) throws {
        let root = try #require(SharedCorpus.root)
        let sound = SharedCorpus.files(format: format).map { root.appending(path: "corpus/\($0.path)").path }
        let hostile = try FileManager.default.contentsOfDirectory(
            atPath: root.appending(path: "hostile").path
        )
        let suffixes = [format.rawValue, String(format.rawValue.prefix(3)), format == .jpeg ? "jpg" : ""]
        let own = hostile.filter { name in suffixes.contains { !$0.isEmpty && name.hasSuffix("." + $0) } }
        try expectEqualOutcomes(sound + own.sorted().map { root.appending(path: "hostile/\($0)").path })
    }

    /// Encoded files, with and without alpha, and corpus files; each intact, truncated and with flipped bits.
    private static func files(_ check: CodecConformance) throws -> [(name: String, data: Data)] {
        let size = PixelSize(width: 70, height: 41)
        let pictures = PixelFormat.eightBitFormats.map { TestImages.photograph(size, format: $0) }
        let made = try check.encoders.flatMap { encoder in
            try (pictures + [CodecConformanceTests.animation]).map {
                (encoder.cacheIdentity, try encoder.encode($0))
            }
        }
        var random = SeededGenerator(seed: 5)
        return (made + check.samples.map { ($0.name, $0.data) }).flatMap { name, data in
            let cuts = (1..<4).map { data.prefix(data.count * $0 / 4) }
            let damaged = (0..<12).map { data.flippingBits(1 + $0 % 3, using: &random) }
            return ([data] + cuts + damaged).enumerated().map { ("\(name), \($0)", Data($1)) }
        }
    }

    private func expectEqualOutcomes(_ paths: [String]) throws {
        let outcomes = try [UInt8(0x55), 0xAA].map { filling in
            // The per-thread cache of the C library is not filled.
            let tunables = "glibc.malloc.perturb=\(filling):glibc.malloc.tcache_count=0"
            let text = try runCodecProbe(
                ["--filling", String(filling)] + paths,
                environment: ["GLIBC_TUNABLES": tunables]
            )
            var lines = text.split(separator: "\n")
            #expect(lines.removeFirst() == "memory \(filling ^ 0xFF)")
            try #require(lines.count == paths.count)
            return lines
        }
        for (path, (first, second)) in zip(paths, zip(outcomes[0], outcomes[1])) {
            #expect(first == second, "\(path)")
        }
    }
}
