import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// Pixels of four inks without a profile.
@Suite(.blocking, .inBothModes) struct InkTests {
    private func colors(_ file: Data) throws -> [UInt8] {
        Array(try CodecRegistry.tested.decode(file, options: DecodeOptions()).bytes.prefix(3))
    }

    private func inks(_ random: inout SeededGenerator) -> [UInt8] {
        (0..<4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    @Test func `inks of a JPEG are read the same without an Adobe marker`() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20 {
            let levels = inks(&random)
            let plain = try colors(FlatJPEG(levels: levels).data)
            #expect(try plain == colors(FlatJPEG(levels: levels, adobeTransform: 0).data), "\(levels)")
            let expected = levels.prefix(3).map { (Int($0) * Int(levels[3]) + 127) / 255 }
            #expect(plain.map { Int($0) } == expected, "\(levels)")
        }
        // White, once decoded as black.
        #expect(try colors(FlatJPEG(levels: [255, 255, 255, 255]).data) == [255, 255, 255])
    }

    @Test func `inks of a TIFF have the same colours as in a JPEG`() throws {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<20 {
            let levels = inks(&random)
            let file = TIFFFile(width: 1, photometric: 5, sampleCount: 4, strips: [levels.map { 255 - $0 }])
            #expect(try colors(file.data) == colors(FlatJPEG(levels: levels).data), "\(levels)")
        }
    }
}
