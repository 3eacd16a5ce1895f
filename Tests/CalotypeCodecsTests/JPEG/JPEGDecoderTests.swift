import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct JPEGDecoderTests {
    static let size = PixelSize(width: 48, height: 40)

    private static func file(_ format: PixelFormat = .rgb8) throws -> [UInt8] {
        [UInt8](try JPEGEncoder().tested.encode(TestImages.photograph(size, format: format)))
    }

    private func error(_ bytes: [UInt8]) -> DecodeError? {
        decodeError { try JPEGDecoder().tested.decode(Data(bytes), options: DecodeOptions()) }
    }

    /// The index of the marker's second byte.
    private func index(of marker: UInt8, in bytes: [UInt8]) throws -> Int {
        try #require(bytes.indices.dropFirst().first { bytes[$0] == marker && bytes[$0 - 1] == 0xFF })
    }

    @Test(arguments: [0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF] as [UInt8])
    func `an unsupported process is an unsupported feature`(marker: UInt8) throws {
        var bytes = try Self.file()
        bytes[try index(of: 0xC0, in: bytes)] = marker
        #expect(error(bytes)?.code == .unsupportedFeature)
    }

    @Test func `twelve bits are an unsupported feature`() throws {
        var bytes = try Self.file()
        bytes[try index(of: 0xC0, in: bytes) + 3] = 12
        #expect(error(bytes)?.code == .unsupportedFeature)
    }

    @Test func `a component without a scan is an error`() throws {
        // A gray file whose header claims three components; its only scan has the first.
        var bytes = try Self.file(.gray8)
        let frame = try index(of: 0xC0, in: bytes)
        bytes[frame + 2] = 17
        bytes[frame + 8] = 3
        bytes.insert(contentsOf: [2, 0x11, 0, 3, 0x11, 0], at: frame + 12)
        let failure = try #require(error(bytes))
        #expect(failure.code == .corrupt)
        #expect(failure.detail.contains("component"))
    }

    @Test func `bytes between segments are ignored`() throws {
        let bytes = try Self.file()
        var padded = bytes
        padded.insert(contentsOf: [0, 0, 0], at: try index(of: 0xDB, in: bytes) - 1)
        let options = DecodeOptions()
        #expect(
            try JPEGDecoder().tested.decode(Data(padded), options: options).bytes
                == JPEGDecoder().tested.decode(Data(bytes), options: options).bytes
        )
    }

    @Test func `a height of zero is corrupt`() throws {
        var bytes = try Self.file()
        let frame = try index(of: 0xC0, in: bytes)
        bytes[frame + 4] = 0
        bytes[frame + 5] = 0
        #expect(error(bytes)?.code == .corrupt)
    }

    @Test func `an invalid profile is ignored`() throws {
        let bytes = Data(try Self.file())
        let profile = Data("ICC_PROFILE\0".utf8) + Data([1, 1]) + Data(repeating: 0x41, count: 200)
        let marked = jpeg(bytes, inserting: 0xE2, profile)
        #expect(try JPEGDecoder().tested.info(of: marked, limits: DecodeLimits()).hasColorProfile)
        let options = DecodeOptions()
        #expect(
            try JPEGDecoder().tested.decode(marked, options: options).bytes
                == JPEGDecoder().tested.decode(bytes, options: options).bytes
        )
    }

    /// The layout of cameras: XMP and MPF announce the map, which follows as a separate JPEG.
    @Test func `a file with a gain map decodes its standard-range image`() throws {
        let picture = Data(try Self.file())
        let map = Data(try Self.file(.gray8))
        let note = "http://ns.adobe.com/xap/1.0/\0<x:xmpmeta hdrgm:Version=\"1.0\"/>"
        let directory = Data("MPF\0MM\0*".utf8) + Data([0, 0, 0, 8, 0, 0, 0, 0, 0, 0])
        let marked = jpeg(jpeg(picture, inserting: 0xE2, directory), inserting: 0xE1, Data(note.utf8))
        let decoder = JPEGDecoder().tested
        let expected = try decoder.decode(picture, options: DecodeOptions())
        let decoded = try decoder.decode(marked + map, options: DecodeOptions())
        #expect(decoded.bytes == expected.bytes && decoded.format == .jpeg)
        #expect(try decoder.info(of: marked + map, limits: DecodeLimits()).dynamicRange == .standard)
    }

    @Test func `the image has the format, scale and metadata of its file`() throws {
        let image = try JPEGDecoder().tested.decode(Data(try Self.file()), options: DecodeOptions(scale: 3))
        #expect(image.format == .jpeg)
        #expect(image.scale == 3)
        #expect(image.metadata == ImageMetadata())
    }
}
