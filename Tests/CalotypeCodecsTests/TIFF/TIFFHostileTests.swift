import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport
import Testing
import WorkerSupport

/// TIFF files whose directories cost more than their size.
@Suite(.blocking, .inBothModes) struct TIFFHostileTests {
    private func code(_ data: Data, _ limits: DecodeLimits = DecodeLimits()) -> DecodeError.Code? {
        decodeError { try TIFFDecoder().tested.decode(data, options: DecodeOptions(limits: limits)) }?.code
    }

    @Test(arguments: [false, true]) func `pages after the first are ignored`(isBig: Bool) throws {
        var file = TIFFFile(width: 3, strips: [[1, 2, 3]])
        file.isBig = isBig
        for next in [file.data.count - 8, 0x7FFF_FFFF, 8] {
            file.nextDirectory = next
            #expect(try TIFFDecoder().tested.decode(file.data, options: DecodeOptions()).bytes == [1, 2, 3])
            #expect(try TIFFDecoder().tested.info(of: file.data, limits: DecodeLimits()).frameCount == 1)
        }
    }

    @Test func `a slice of a larger buffer decodes with further pages`() throws {
        var file = TIFFFile(width: 3, strips: [[1, 2, 3]])
        file.nextDirectory = 8
        let part = (Data(count: 5) + file.data).dropFirst(5)
        #expect(try TIFFDecoder().tested.decode(part, options: DecodeOptions()).bytes == [1, 2, 3])
    }

    @Test func `a directory has a thousand tags at most`() {
        let own = TIFFFile(width: 1, strips: [[1]])
        let ownCount = Int(own.data[own.data.count - 4 - 12 * 9 - 2])
        #expect(code(HostileTIFF.tags(1000 - ownCount)) == nil)
        #expect(code(HostileTIFF.tags(1001 - ownCount)) == .limitExceeded)
    }

    @Test func `tags may share a few bytes but not many`() {
        var file = TIFFFile(width: 1, strips: [[1]])
        file.others[40_000] = (1, Data(count: 200_000), 200_000)
        #expect(code(file.data) == nil)
        file.others[40_001] = (1, Data(count: 8), 8)
        var data = file.data
        let entry = littleEndian(40_001, 2) + littleEndian(1, 2) + littleEndian(8)
        guard let range = data.firstRange(of: entry) else { return }
        let start = data[range.lowerBound - 4..<range.lowerBound]
        data.replaceSubrange(range.lowerBound + 4..<range.upperBound + 4, with: littleEndian(65_000) + start)
        #expect(code(data) == nil)
        data.replaceSubrange(range.lowerBound + 4..<range.upperBound, with: littleEndian(200_000))
        #expect(code(data) == .limitExceeded)
    }

    @Test func `an image with both strips and tiles is corrupt`() {
        var file = TIFFFile(width: 16, height: 16, strips: [[UInt8](repeating: 7, count: 256)])
        file.tileSize = (16, 16)
        #expect(code(file.data) == nil)
        file.others[273] = (4, littleEndian(8), 1)
        #expect(code(file.data) == .corrupt)
    }

    @Test func `tiles that extend far beyond the image are refused`() {
        var file = TIFFFile(
            width: 40,
            height: 40,
            strips: Array(repeating: [UInt8](repeating: 7, count: 4096), count: 1)
        )
        file.tileSize = (64, 64)
        #expect(code(file.data, DecodeLimits(maxPixelCount: 4096)) == nil)
        #expect(code(file.data, DecodeLimits(maxPixelCount: 4095)) == .limitExceeded)
    }

    @Test func `limits of the greatest integer do not overflow`() {
        let limits = DecodeLimits(
            maxPixelCount: .max,
            maxFrameCount: .max,
            maxFramePixelCount: .max,
            maxScanPixelCount: .max,
            maxByteCount: .max
        )
        for side in [1, 16, 65_536, 0x7FFF_FFFF] {
            var file = TIFFFile(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF, compression: 7, strips: [[1]])
            file.tileSize = (side, side)
            #expect(code(file.data, limits) != nil)
            file.shorts[284] = [2]
            file.sampleCount = 8
            #expect(code(file.data, limits) != nil)
        }
    }

    // MARK: - Features

    private static let unsupported: [TIFFFile] = [
        TIFFFile(width: 2, bits: 3, strips: [[1, 2, 3]]),
        TIFFFile(width: 2, bits: 24, strips: [[1, 2, 3, 4, 5, 6]]),
        TIFFFile(width: 1, bits: 64, strips: [[1, 2, 3, 4, 5, 6, 7, 8]]),
        TIFFFile(width: 2, bits: 16, strips: [[1, 2, 3, 4]], shorts: [339: [3]]),
        TIFFFile(width: 2, bits: 4, photometric: 2, sampleCount: 3, strips: [[1, 2, 3]]),
        TIFFFile(
            width: 2,
            bits: 6,
            photometric: 3,
            strips: [[1, 2]],
            shorts: [320: Array(repeating: 1, count: 192)]
        ),
        TIFFFile(width: 2, photometric: 32_845, sampleCount: 3, strips: [[1, 2, 3, 4, 5, 6]]),
        TIFFFile(
            width: 2,
            photometric: 6,
            sampleCount: 3,
            compression: 7,
            strips: [[1, 2]],
            shorts: [284: [2]]
        ),
    ]

    @Test func `a feature that the library lacks is refused by name`() {
        for file in Self.unsupported {
            #expect(code(file.data) == .unsupportedFeature)
            let info = decodeError { try TIFFDecoder().tested.info(of: file.data, limits: DecodeLimits()) }
            #expect(info?.code == .unsupportedFeature)
        }
    }

    /// libvips has one error buffer for all threads.
    @Test func `the error of a file does not depend on other threads`() async {
        // L*a*b* with one sample.
        let broken = TIFFFile(width: 2, photometric: 8, strips: [[1, 2]])
        let files: [(Data, DecodeError.Code)] =
            Self.unsupported.map { ($0.data, .unsupportedFeature) } + [(broken.data, .corrupt)]
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for round in 0..<200 {
                        let (data, expected) = files[(round + thread) % files.count]
                        #expect(code(data) == expected)
                    }
                }
            }
        }
    }
}
