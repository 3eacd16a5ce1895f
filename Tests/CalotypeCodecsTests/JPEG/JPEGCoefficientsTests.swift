import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeCodecs

@Suite(.blocking) struct JPEGCoefficientsTests {
    private static func file(
        isProgressive: Bool,
        _ chroma: JPEGEncoder.ChromaSubsampling = .yuv420,
        _ format: PixelFormat = .rgb8
    ) throws -> Data {
        let image = TestImages.photograph(PixelSize(width: 40, height: 30), format: format)
        return try JPEGEncoder(isProgressive: isProgressive, chromaSubsampling: chroma).encode(image)
    }

    @Test func `a file of one scan keeps no coefficients`() throws {
        #expect(JPEGCoefficients.byteCountPerPixel(of: try Self.file(isProgressive: false)) == 0)
    }

    @Test func `a progressive file keeps two bytes for each sample`() throws {
        let small = try Self.file(isProgressive: true)
        #expect(JPEGCoefficients.byteCountPerPixel(of: small) == 3)
        let whole = try Self.file(isProgressive: true, .yuv444)
        #expect(JPEGCoefficients.byteCountPerPixel(of: whole) == 6)
        let gray = try Self.file(isProgressive: true, .yuv420, .gray8)
        #expect(JPEGCoefficients.byteCountPerPixel(of: gray) == 2)
    }

    @Test func `a first scan of fewer components is one of several`() throws {
        var file = try Self.file(isProgressive: false)
        let scan = try #require(file.firstRange(of: Data([0xFF, 0xDA, 0, 12, 3])))
        file[scan.upperBound - 1] = 1
        #expect(JPEGCoefficients.byteCountPerPixel(of: file) == 3)
    }

    @Test func `a header that is not found counts as the largest`() throws {
        let file = try Self.file(isProgressive: true)
        let padding = Data([0xFF, 0xE2, 0xFF, 0xFF]) + Data(count: 65_533)
        let padded = (0..<17).reduce(into: Data(file.prefix(2))) { bytes, _ in bytes += padding }
        #expect(JPEGCoefficients.byteCountPerPixel(of: padded + file.dropFirst(2)) == 8)
        for count in 0..<file.count {
            #expect([3, 8].contains(JPEGCoefficients.byteCountPerPixel(of: file.prefix(count))))
        }
    }
}
