import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import Foundation
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.alone, .enabled(Drawings.advice, Drawings.isAvailable))
struct SVGTests {
    private static let hasReference = ServerProcess.find("rsvg-convert") != nil

    @Test(
        .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"),
        .enabled(if: hasReference, "rsvg-convert is not installed (librsvg2-bin)"),
        arguments: SharedCorpus.files(format: .svg)
    )
    func `a corpus file is drawn as rsvg-convert draws it`(file: CorpusFile) async throws {
        try await compare(try file.bytes(), to: [nil, 64, 500])
    }

    @Test(
        .enabled(if: hasReference, "rsvg-convert is not installed (librsvg2-bin)"),
        arguments: [
            "<text y='20' font-size='9'>Ägypten مرحبا 日本 😀</text>",
            "<text y='30' font-family='serif' font-weight='bold'>f<tspan dy='3'>i</tspan></text>",
            "<text y='30' font-family='monospace' font-style='italic'>code</text>",
            """
            <radialGradient id='g'><stop stop-color='red'/><stop offset='1' stop-color='#00f8'/>
            </radialGradient><circle cx='20' cy='20' r='18' fill='url(#g)' stroke='#0f0' stroke-opacity='.4'/>
            """,
            """
            <filter id='f'><feGaussianBlur stdDeviation='3'/></filter>
            <rect x='10' y='10' width='20' height='20' filter='url(#f)'/>
            """,
            """
            <filter id='f'><feTurbulence baseFrequency='.1'/><feDiffuseLighting><feDistantLight azimuth='9'/>
            </feDiffuseLighting></filter><rect width='40' height='40' filter='url(#f)'/>
            """,
            """
            <pattern id='p' width='4' height='4' patternUnits='userSpaceOnUse'><circle r='3'/></pattern>
            <mask id='m'><circle cx='20' cy='20' r='15' fill='white'/></mask>
            <g mask='url(#m)'><rect width='40' height='40' fill='url(#p)' opacity='.7'/></g>
            """,
            "<style>.a { fill: teal } @page { .a { fill: red } }</style><path class='a' d='M0 0h9v9'/>",
        ]
    )
    func `SVG features are drawn as rsvg-convert draws them`(content: String) async throws {
        let workers = try await Workers.shared
        let lost = workers.statistics.lostCount
        try await compare(Data(Drawings.document(content).utf8), to: [nil, 113])
        #expect(workers.statistics.lostCount == lost)
    }

    private func compare(_ document: Data, to widths: [Int?]) async throws {
        for width in widths {
            let target = width.map { DecodeOptions.Target.fit(width: $0) } ?? .full
            let image = try await Workers.shared.run {
                try $0.decode(document, options: DecodeOptions(target: target))
            }
            #expect(width == nil || image.width == width)
            guard let reference = try Drawings.reference(document, image.size) else {
                // It rejects a document without any size.
                #expect(image.isBlank)
                continue
            }
            #expect(reference.size == image.size)
            let differences = zip(image.rgba8(), reference.rgba8()).map { abs(Int($0) - Int($1)) }
            #expect(Double(differences.reduce(0, +)) / Double(differences.count) <= 1)
        }
    }

    @Test(arguments: [
        ("width='40' height='30'", 40, 30), ("width='1in' height='2.54cm'", 96, 96),
        ("width='72pt' height='6pc'", 96, 96), ("width='2em' height='25.4mm'", 32, 96),
        ("width='10.6' height='.2'", 11, 1), ("", 300, 150), ("width='100%' height='50%'", 300, 150),
        ("viewBox='0 0 10 10'", 10, 10), ("viewBox='0 0 400 100'", 400, 100),
        ("viewBox='0 0 1920 1080'", 1920, 1080), ("viewBox='-12 -12 24 24'", 24, 24),
        ("viewBox='0 0 200000 100000'", 14_142, 7_071), ("viewBox='0 0 1000000 10'", 32_767, 1),
        ("width='80' viewBox='0 0 4 1'", 80, 20), ("height='80' viewBox='0 0 4 1'", 320, 80),
        ("width='80'", 80, 150), ("height='80'", 300, 80),
        ("width='50' height='60' viewBox='0 0 9 1'", 50, 60),
        ("width='80' viewBox='0 0 0 0'", 80, 150),
    ])
    func `a document has its stated size, otherwise that of its viewBox`(
        attributes: String,
        width: Int,
        height: Int
    ) async throws {
        let document = Drawings.document("<rect width='9999' height='9999'/>", attributes)
        let info = try await Workers.shared.run { try $0.info(of: Data(document.utf8)) }
        #expect(info.format == .svg && info.size == PixelSize(width: width, height: height))
        #expect(info.hasAlpha && info.pixelFormat == .rgba8 && info.frameCount == 1)
        #expect(try await Workers.shared.drawing(of: document).size == info.size)
    }

    @Test(
        arguments: [
            "0.3 0.3", "1 1", "1.5 1.5", "1.4 2.6", "10 1", "7 1e7", "1e7 0.5", "100.5 100.5",
            "33333.3 33333.7",
            "1e9 1e-3", "1e-3 1e9", "1e18 1e18", "1e-18 1e-18", "1e18 1e-18", "65535.5 1.5", "3 32767.6",
        ],
        [1, 2, 3, 5, 100, 10_150, 65_537, 1 << 20, 100_000_000]
    )
    func `a document without width and height is drawn within any pixel limit`(
        view: String,
        maxPixelCount: Int
    ) async throws {
        let document = Data(Drawings.document("<rect/>", "viewBox='0 0 \(view)'").utf8)
        var limits = DecodeLimits()
        limits.maxPixelCount = maxPixelCount
        let size = try await Workers.shared.run { [limits] codecs in
            let size = try codecs.info(of: document, limits: limits).size
            // Larger ones take longer and show nothing more.
            guard size.pixelCount <= 1 << 20 else { return size }
            let image = try codecs.decode(document, options: DecodeOptions(limits: limits))
            #expect(image.size == size)
            return size
        }
        #expect(!size.isEmpty && size.pixelCount <= maxPixelCount)
        #expect(max(size.width, size.height) <= 32_767)
    }

    @Test(arguments: ["width='10em' height='160'", "width='20ex' height='160'", "width='160' height='10em'"])
    func `a document sized in em or ex is drawn from its edge`(
        attributes: String
    ) async throws {
        let document = Drawings.document("<rect width='80' height='160'/>", attributes)
        let image = try await Workers.shared.drawing(of: document)
        #expect(image.size == PixelSize(width: 160, height: 160))
        #expect(image.rgba(x: 0, y: 80) == [0, 0, 0, 255] && image.rgba(x: 79, y: 159) == [0, 0, 0, 255])
        #expect(image.rgba(x: 81, y: 80) == [0, 0, 0, 0])
    }

    @Test(arguments: ["width='0' height='9'", "width='9' height='0'"])
    func `a document with a side of zero is corrupt`(attributes: String) async throws {
        let document = Data(Drawings.document("", attributes).utf8)
        #expect(try await Workers.shared.error(ofDrawing: document)?.code == .corrupt)
    }

    @Test(arguments: ["width='10' height='10'", "width='10' height='10' viewBox='0 0 10 10'"])
    func `a document is drawn sharply at larger and smaller target sizes`(
        attributes: String
    ) async throws {
        let document = Drawings.document("<rect width='5' height='10'/>", attributes)
        for side in [4, 10, 2_000] {
            let options = DecodeOptions(target: .fit(width: side, height: side), scale: 2)
            let image = try await Workers.shared.drawing(of: document, options)
            #expect(image.size == PixelSize(width: side, height: side) && image.scale == 2)
            #expect(image.rgba(x: side / 2 - 1, y: side - 1) == [0, 0, 0, 255])
            #expect(image.rgba(x: side / 2, y: 0) == [0, 0, 0, 0])
        }
        let covering = DecodeOptions(target: .fill(width: 30, height: 60))
        #expect(try await Workers.shared.drawing(of: document, covering).size.width == 60)
    }

    @Test func `colours are not premultiplied by alpha`() async throws {
        let document = Drawings.document("<rect width='40' height='40' fill='#ff8000' opacity='.5'/>")
        let pixel = try await Workers.shared.drawing(of: document).rgba(x: 3, y: 3)
        #expect(zip(pixel, [255, 128, 0, 128]).allSatisfy { abs(Int($0) - $1) <= 1 })
    }

    @Test(.enabled(if: Packer.isInstalled, "python3 is not installed"))
    func `a gzip document is drawn like the plain one`() async throws {
        let document = Data(Drawings.document("<circle r='30' fill='blue'/>").utf8)
        var packed = try Packer.pack(document, as: "gzip")
        let workers = try await Workers.shared
        let (plain, same, info) = try await workers.run { [packed] codecs in
            (try codecs.decode(document), try codecs.decode(packed + [1, 2, 3]), try codecs.info(of: packed))
        }
        #expect(plain.rgba8() == same.rgba8() && info.format == .svg)
        packed.removeLast(12)
        #expect(try await workers.error(ofDrawing: packed)?.code == .corrupt)
        for other in [Data("<html>".utf8), try Packer.pack(document, as: "gzip"), Data()] {
            let error = try await workers.error(ofDrawing: try Packer.pack(other, as: "gzip"))
            #expect(error?.code == .unrecognizedFormat)
        }
    }

    @Test func `a document leaves nothing for the next one`() async throws {
        let first = Drawings.document(
            """
            <style>rect { fill: red }</style><rect id='a' width='40' height='40'/>
            <filter id='f'><feFlood flood-color='red'/></filter>
            """
        )
        let second = Drawings.document("<use href='#a'/><rect width='9' height='9'/><g filter='url(#f)'/>")
        let workers = try await Workers.started(maxCount: 1)
        let alone = try await workers.drawing(of: second).rgba8()
        _ = try await workers.drawing(of: first)
        #expect(try await workers.drawing(of: second).rgba8() == alone)
        #expect(workers.statistics.lostCount == 0)
    }

    @Test func `the standard registry rejects SVG in process`() {
        let error = #expect(throws: DecodeError.self) {
            try CodecRegistry.standard.decode(Data(Drawings.document("").utf8))
        }
        #expect(error?.code == .unsupportedFeature && error?.format == .svg)
    }
}
