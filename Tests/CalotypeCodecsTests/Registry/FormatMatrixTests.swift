import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

/// The table in `Docs/formats.md`, derived by exercising the codecs.
@Suite(.blocking, .inBothModes) struct FormatMatrixTests {
    struct Row: Equatable, CustomStringConvertible {
        let format: ImageFormat
        var decodes = false
        var animates = false
        var previews = false
        var encodes = false
        var encodesAnimations = false

        static let header = "format  decode  animated  preview  encode  encode animated"

        var description: String {
            let marks = [decodes, animates, previews, encodes, encodesAnimations].map { $0 ? "yes" : "-" }
            return zip([format.rawValue] + marks, [8, 8, 10, 9, 8, 0]).map { text, width in
                text + String(repeating: " ", count: max(0, width - text.count))
            }.joined()
        }
    }

    static let expected: [Row] = [
        Row(format: .jpeg, decodes: true, previews: true, encodes: true),
        Row(
            format: .png,
            decodes: true,
            animates: true,
            previews: true,
            encodes: true,
            encodesAnimations: true
        ),
        Row(
            format: .gif,
            decodes: true,
            animates: true,
            previews: true,
            encodes: true,
            encodesAnimations: true
        ),
        Row(
            format: .webP,
            decodes: true,
            animates: true,
            previews: true,
            encodes: true,
            encodesAnimations: true
        ),
        Row(format: .avif, decodes: true, animates: true, encodes: true, encodesAnimations: true),
        Row(format: .heic, decodes: true, animates: true, encodes: true),
        Row(
            format: .jpegXL,
            decodes: true,
            animates: true,
            previews: true,
            encodes: true,
            encodesAnimations: true
        ),
        Row(format: .tiff, decodes: true, encodes: true),
        Row(format: .bmp, decodes: true, encodes: true),
        Row(format: .ico, decodes: true, encodes: true),
        Row(format: .svg),
    ]

    private let codecs = CodecRegistry.tested

    @Test func `each format has the documented capabilities`() throws {
        let rows = try ImageFormat.recognized.map(row)
        print(([Row.header] + rows.map(\.description)).joined(separator: "\n"))
        #expect(rows == Self.expected)
    }

    @Test func `SVG is recognised and refused`() {
        let data = Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
        #expect(decodeError { try CodecRegistry.standard.decode(data) }?.code == .unsupportedFeature)
    }

    private func row(_ format: ImageFormat) throws -> Row {
        var row = Row(format: format)
        guard let still = try still(format) else { return row }
        row.decodes = try codecs.decode(still).size == TestSize.still
        row.previews = codecs.makeIncrementalDecoder(forHead: still.prefix(64)) != nil
        guard let encoder = codecs.encoder(for: format) else { return row }
        row.encodes = true
        let animation = try codecs.decode(encoder.encode(CodecConformanceTests.animation)).animation
        row.encodesAnimations = animation?.frameCount == 5
        if format == .heic {
            row.animates = try codecs.decode(HEICInterTests.parts(.closed).data).animation?.frameCount == 12
            return row
        }
        row.animates = try animation?.decodeFrame(at: 4).size == CodecConformanceTests.animation.size
        return row
    }

    private enum TestSize {
        static let still = PixelSize(width: 40, height: 30)
    }

    /// An image in a format, or `nil` if it cannot be created.
    private func still(_ format: ImageFormat) throws -> Data? {
        let picture = TestImages.photograph(TestSize.still)
        if format == .ico { return try icon(picture) }
        return try codecs.encoder(for: format)?.encode(picture)
    }

    private func icon(_ picture: Image) throws -> Data {
        let png = try PNGEncoder().tested.encode(picture)
        let size = Data([UInt8(picture.size.width), UInt8(picture.size.height)])
        return littleEndian(0, 2) + littleEndian(1, 2) + littleEndian(1, 2) + size + littleEndian(0, 2)
            + littleEndian(1, 2) + littleEndian(32, 2) + littleEndian(png.count) + littleEndian(22) + png
    }
}
