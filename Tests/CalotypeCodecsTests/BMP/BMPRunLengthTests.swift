import CalotypeCodecs
import CalotypeCore
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct BMPRunLengthTests {
    /// A bitmap with gray levels of ten times the index.
    private func parts(_ width: Int, _ height: Int, nibbles: Bool = false, _ runs: [UInt8]) -> BMPParts {
        BMPParts(
            width: width,
            height: height,
            bitsPerPixel: nibbles ? 4 : 8,
            compression: nibbles ? 2 : 1,
            palette: (0..<16).map { ($0 * 10, $0 * 10, $0 * 10) },
            pixels: Data(runs)
        )
    }

    /// The indices, with the lowest row first.
    private func indices(_ parts: BMPParts) throws -> [[UInt8]] {
        let image = try BMPDecoder().tested.decode(parts.file, options: DecodeOptions())
        let rows = (0..<image.size.height).map { y in
            image.bytes[y * image.size.width..<(y + 1) * image.size.width].map { $0 / 10 }
        }
        return rows.reversed()
    }

    private func code(_ parts: BMPParts) -> DecodeError.Code? {
        decodeError { try BMPDecoder().tested.decode(parts.file, options: DecodeOptions()) }?.code
    }

    @Test func `runs, pixels, moves and end marks are decoded`() throws {
        let runs: [UInt8] = [
            3, 1, 0, 3, 2, 3, 4, 0, 0, 0,  // 1 1 1 2 3 4, end of line
            0, 2, 2, 1, 2, 5, 0, 1,  // two to the right and one up, 5 5, end of bitmap
        ]
        #expect(
            try indices(parts(6, 4, runs)) == [
                [1, 1, 1, 2, 3, 4], [0, 0, 0, 0, 0, 0], [0, 0, 5, 5, 0, 0], [0, 0, 0, 0, 0, 0],
            ]
        )
    }

    @Test func `a file may skip 2²⁴ pixels and no more`() throws {
        let most = try BMPDecoder().tested.decode(parts(4_096, 4_096, [0, 1]).file, options: DecodeOptions())
        #expect(most.bytes.allSatisfy { $0 == 0 })
        #expect(code(parts(4_096, 4_097, [0, 1])) == .limitExceeded)
        // Pixels beyond the end of their row are not part of the image.
        let row: [UInt8] = Array(repeating: [255, 1], count: 17).flatMap { $0 } + [0, 1]
        #expect(code(parts(4_096, 4_097, row)) == nil)
        #expect(code(parts(4_095, 4_099, row)) == .limitExceeded)
    }

    @Test func `nibbles are read in turn from the high one`() throws {
        let runs: [UInt8] = [5, 0x12, 0, 0, 0, 5, 0x34, 0x56, 0x70, 0, 0, 1]
        #expect(try indices(parts(5, 2, nibbles: true, runs)) == [[1, 2, 1, 2, 1], [3, 4, 5, 6, 7]])
    }

    @Test func `skipped pixels have the first colour`() throws {
        var skipping = parts(2, 1, [0, 1])
        skipping.palette = [(1, 2, 3)]
        let image = try BMPDecoder().tested.decode(skipping.file, options: DecodeOptions())
        #expect(image.bytes == [1, 2, 3, 1, 2, 3])
    }

    @Test func `the part of a run beyond its row is cut off`() throws {
        let runs: [UInt8] = [9, 1, 0, 0, 0, 4, 1, 2, 3, 4, 0, 1]
        #expect(try indices(parts(3, 2, runs)) == [[1, 1, 1], [1, 2, 3]])
        #expect(try indices(parts(3, 1, [0, 2, 200, 0, 4, 1, 0, 1])) == [[0, 0, 0]])
    }

    @Test func `a run below the last row is corrupt`() {
        #expect(code(parts(2, 1, [2, 1, 0, 0, 1, 1, 0, 1])) == .corrupt)
        #expect(code(parts(2, 1, [0, 2, 0, 255, 1, 1])) == .corrupt)
        #expect(code(parts(2, 1, [0, 0, 0, 0, 0, 0])) == .corrupt)
    }

    @Test func `the end mark may be missing after all rows`() throws {
        #expect(try indices(parts(2, 2, [2, 1, 0, 0, 2, 3])) == [[1, 1], [3, 3]])
        #expect(try indices(parts(2, 2, [2, 1, 0, 0, 2, 3, 0, 0])) == [[1, 1], [3, 3]])
    }

    @Test(arguments: [
        [2, 1], [2, 1, 0, 0], [2, 1, 0, 0, 1], [2, 1, 0, 0, 1, 3], [0, 2], [0, 2, 1], [0, 4, 1], [],
    ])
    func `runs that end before the last row are truncated`(runs: [UInt8]) {
        #expect(code(parts(2, 2, runs)) == .truncated)
    }

    @Test func `rows from top to bottom are corrupt`() {
        #expect(code(parts(2, -2, [2, 1, 0, 0, 2, 3, 0, 1])) == .corrupt)
    }

    @Test func `moves over an image at the limit end quickly`() throws {
        // 10,000 rows are skipped in 40 moves of 255, and then the data ends.
        let moves = Array(repeatElement([UInt8(0), 2, 255, 255], count: 39).joined())
        #expect(code(parts(10_000, 10_000, moves)) == .truncated)
        let endless = Array(repeatElement([UInt8(0), 2, 255, 0], count: 10_000).joined())
        #expect(code(parts(100, 100, endless)) == .truncated)
        #expect(code(parts(10_001, 10_000, moves)) == .limitExceeded)
    }
}
