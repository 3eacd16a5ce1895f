import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

/// The plain path gives the pixels of libpng, and leaves unusual files to libpng.
@Suite(.blocking) struct PNGPathTests {
    enum Outcome: Equatable {
        case pixels([UInt8])
        case failure(DecodeError.Code)
    }

    private func outcome(_ file: Data, _ path: PNGPath) -> Outcome {
        var decoder = PNGDecoder()
        decoder.path = path
        do throws(DecodeError) {
            return .pixels(try decoder.decode(file, options: DecodeOptions()).bytes)
        } catch {
            return .failure(error.code)
        }
    }

    private func isPlain(_ file: Data) -> Bool {
        if case .pixels = outcome(file, .plain) { true } else { false }
    }

    private func expectSame(_ file: Data, _ comment: Comment? = nil) {
        #expect(outcome(file, .either) == outcome(file, .libPNG), comment)
    }

    @Test(arguments: PNGBuilding.Color.allCases)
    func `each filter gives the pixels of libpng`(color: PNGBuilding.Color) {
        var random = SeededGenerator(seed: 31)
        for width in [1, 2, 3, 5, 16, 33, 200] {
            for filter: UInt8 in 0...4 {
                let building = PNGBuilding(width: width, height: 9, color: color)
                let file = building.file(filters: filter...filter, &random).data
                #expect(outcome(file, .plain) == outcome(file, .libPNG), "filter \(filter), width \(width)")
            }
        }
    }

    @Test(arguments: PNGBuilding.Color.allCases)
    func `filters that change from row to row give the pixels of libpng`(
        color: PNGBuilding.Color
    ) {
        var random = SeededGenerator(seed: 5)
        for chunkByteCount in [0, 1, 7, 1_000] {
            let building = PNGBuilding(height: 40, color: color, chunkByteCount: chunkByteCount)
            let file = building.file(&random).data
            #expect(outcome(file, .plain) == outcome(file, .libPNG), "chunks of \(chunkByteCount) bytes")
        }
    }

    @Test func `a palette may have translucent entries`() {
        var random = SeededGenerator(seed: 8)
        let transparency = Data((0..<100).map { UInt8($0 * 2) })
        let file = PNGBuilding(color: .palette, transparency: transparency).file(&random).data
        #expect(outcome(file, .plain) == outcome(file, .libPNG))
    }

    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
    func `colours are converted as on the path of libpng`() throws {
        let profiled = SharedCorpus.files(format: .png).filter { $0.icc == true && $0.expected == .ok }
        for file in profiled { expectSame(try file.bytes(), "\(file)") }
    }

    @Test func `files outside of the plain subset are decoded by libpng`() {
        var random = SeededGenerator(seed: 12)
        let buildings = [
            PNGBuilding(depth: 16), PNGBuilding(color: .gray, depth: 4),
            PNGBuilding(color: .palette, depth: 2, paletteCount: 4),
            PNGBuilding(color: .gray, transparency: Data([0, 7])),
            PNGBuilding(color: .rgb, transparency: Data([0, 7, 0, 8, 0, 9])),
            PNGBuilding(color: .palette, paletteCount: 200),
        ]
        for building in buildings {
            let file = building.file(&random).data
            #expect(!isPlain(file), "\(building)")
            expectSame(file, "\(building)")
        }
    }

    @Test func `an unknown filter is decoded by libpng`() {
        var random = SeededGenerator(seed: 3)
        let file = PNGBuilding().file(filters: 5...9, &random).data
        #expect(!isPlain(file))
        #expect(outcome(file, .either) == .failure(.corrupt))
    }

    @Test func `a stream that announces too small a window is decoded by libpng`() {
        var random = SeededGenerator(seed: 4)
        var building = PNGBuilding(width: 40, height: 40)
        building.chunkByteCount = 0
        var parts = building.file(&random)
        let rows = Data(count: 40 * 121)
        for (windowBits, expected): (UInt8, Bool) in [(8, false), (12, false), (13, true), (15, true)] {
            let index = parts.chunks.count - 2
            parts.chunks[index].payload = PNGBuilding.stored(rows, windowBits: windowBits)
            #expect(isPlain(parts.data) == expected, "\(windowBits) bits")
            expectSame(parts.data)
        }
    }

    @Test(arguments: [-50, -1, 1, 5_000])
    func `missing or excess rows are decoded by libpng`(difference: Int) {
        var random = SeededGenerator(seed: 6)
        let rows = Data(count: 23 * (17 * 3 + 1) + difference)
        let file = PNGBuilding().file(rows: rows, &random).data
        #expect(!isPlain(file))
        expectSame(file)
    }

    @Test func `chunks after the pixels are checked as by libpng`() {
        var random = SeededGenerator(seed: 7)
        let sound = PNGBuilding().file(&random)
        for (type, isKept) in [
            ("tEXt", true), ("caLo", true), ("tRNS", false), ("CALo", false), ("PLTE", false),
            ("IDAT", false),
            ("a1b2", false),
        ] {
            var parts = sound
            parts.insert("tIME", Data([7, 0, 1, 1, 0, 0, 0]), before: "IEND")
            parts.insert(type, Data([0, 1, 2]), before: "IEND")
            #expect(isPlain(parts.data) == isKept, "\(type)")
            expectSame(parts.data, "\(type)")
        }
        var endless = sound
        endless.chunks.removeLast()
        #expect(!isPlain(endless.data))
        expectSame(endless.data)
    }

    @Test(arguments: PNGBuilding.Color.allCases)
    func `flipped bits have the outcome of libpng`(color: PNGBuilding.Color) throws {
        var random = SeededGenerator(seed: 21)
        var building = PNGBuilding(color: color, paletteCount: 250)
        building.chunkByteCount = 300
        let file = building.file(&random).data
        for _ in 0..<300 {
            var damaged = file
            damaged[Int.random(in: 8..<file.count, using: &random)] ^=
                1 << UInt8.random(in: 0..<8, using: &random)
            expectSame(damaged)
            // Again with corrected check sums.
            expectSame(PNGParts(damaged).data)
        }
    }

    @Test func `flipped bits in a compressed stream have the outcome of libpng`() throws {
        var random = SeededGenerator(seed: 22)
        let image = TestImages.photograph(PixelSize(width: 60, height: 40), format: .rgba8)
        let parts = PNGParts(try PNGEncoder().encode(image))
        #expect(isPlain(parts.data))
        let index = try #require(parts.chunks.firstIndex { $0.type == "IDAT" })
        for _ in 0..<500 {
            var damaged = parts
            let place = Int.random(in: 0..<damaged.chunks[index].payload.count, using: &random)
            damaged.chunks[index].payload[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            expectSame(damaged.data, "byte \(place)")
        }
    }

    @Test func `a file cut anywhere has the outcome of libpng`() {
        var random = SeededGenerator(seed: 23)
        let file = PNGBuilding(color: .grayAlpha, chunkByteCount: 100).file(&random).data
        for count in 8..<file.count {
            let part = Data(file.prefix(count))
            expectSame(part, "\(count) bytes")
        }
    }

    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
    func `every file of the corpus has the outcome of libpng`() throws {
        var plainCount = 0
        for file in SharedCorpus.files(format: .png) {
            let bytes = try file.bytes()
            expectSame(bytes, "\(file)")
            if isPlain(bytes) { plainCount += 1 }
        }
        #expect(plainCount >= 5)
    }
}
