import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// Gray pixels under an RGB profile, which browsers apply to each gray as a colour.
@Suite(.blocking, .inBothModes) struct GrayProfileTests {
    /// The sRGB primaries with a gamma of 1.8, as in Apple's Generic RGB.
    private static let profile: Data = {
        let curve = Data("curv".utf8) + Data(count: 4) + bigEndian32(1) + bigEndian16(0x01CD) + Data(count: 2)
        return ProfileFile(tags: [
            ("wtpt", ProfileFile.xyz([0.9642, 1, 0.8249])),
            ("rXYZ", ProfileFile.xyz([0.4361, 0.2225, 0.0139])),
            ("gXYZ", ProfileFile.xyz([0.3851, 0.7169, 0.0971])),
            ("bXYZ", ProfileFile.xyz([0.1431, 0.0606, 0.7141])), ("rTRC", curve), ("gTRC", curve),
            ("bTRC", curve),
        ]).data
    }()

    private static let levels = (0..<256).map { UInt8($0) }

    @Test func `gray pixels under an RGB profile get the levels of the same colours`() throws {
        let colors = TIFFFile(
            width: 256,
            photometric: 2,
            sampleCount: 3,
            strips: [Self.levels.flatMap { [$0, $0, $0] }],
            profile: Self.profile
        )
        let expected = try decode(colors.data)
        let gray = TIFFFile(width: 256, strips: [Self.levels], profile: Self.profile)
        let image = try decode(gray.data)
        #expect(image.pixelFormat == .gray8 && image.metadata.hasColorProfile)
        for level in 0..<256 {
            let (own, wanted) = (Int(image.bytes[level]), Int(expected.bytes[level * 3 + 1]))
            #expect(abs(own - wanted) <= 1, "\(level)")
        }
        #expect(image.bytes[128] > 136)
    }

    @Test(arguments: [40, 128, 200] as [UInt8])
    func `a gray JPEG has its RGB profile applied`(level: UInt8) throws {
        let segment = Data("ICC_PROFILE\0".utf8) + [1, 1] + Self.profile
        let file = jpeg(FlatJPEG(levels: [level]).data, inserting: 0xE2, segment)
        let image = try decode(file)
        let expected = try decode(TIFFFile(width: 1, strips: [[level]], profile: Self.profile).data)
        #expect(image.pixelFormat == .gray8 && image.bytes[0] == expected.bytes[0] && image.bytes[0] > level)
        try expectEqual(decodePiecewise(file, .random), image)
    }
}
