import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import CalotypeTesting
import Foundation
import HostileCodec
import TestSupport
import Testing
import WorkerSupport

/// Hostile documents, which end as an error of their own or are drawn without external content.
@Suite(.alone, .enabled(Drawings.advice, Drawings.isAvailable))
struct HostileSVGTests {
    /// References to an existing picture, and to other content that pixels could reveal.
    private static let references = [
        "<image width='40' height='40' href='FILE'/>", "<image width='40' height='40' xlink:href='FILE'/>",
        "<image width='40' height='40' href='http://127.0.0.1:9/a.png'/>",
        "<image width='40' height='40' href='https://example.org/a.png'/>",
        "<image width='40' height='40' href='//example.org/a.png'/>",
        "<image width='40' height='40' href='/etc/passwd'/>",
        "<image width='40' height='40' href='../../../../etc/passwd'/>",
        "<use href='FILE#a'/>", "<use href='http://127.0.0.1:9/a.svg#a'/>",
        "<filter id='f'><feImage href='FILE'/></filter><rect width='40' height='40' filter='url(#f)'/>",
        "<rect width='40' height='40' fill='url(FILE#a) none'/>",
        "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='FILE' parse='xml'/>",
        """
        <text y='9'><xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='file:///etc/passwd'
        parse='text'/></text>
        """,
        "<style>@import url('FILE'); @import 'http://127.0.0.1:9/a.css';</style>",
        // Documents and pictures that need modules to be loaded.
        "<image width='40' height='40' href='data:image/svg+xml,SVG'/>",
        "<image href='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs='/>",
        "<image width='40' height='40' href='data:image/png;base64,iVBORw0KGgo='/>",
        "<script href='FILE'/><foreignObject><html xmlns='http://www.w3.org/1999/xhtml'/></foreignObject>",
    ]

    /// librsvg 2.60, as in Debian 13, draws nested documents itself; 2.54 would need a module.
    private static let inner = """
        %3Csvg xmlns=%27http://www.w3.org/2000/svg%27 width=%2740%27 height=%2740%27%3E\
        %3Cimage width=%2740%27 height=%2740%27 href=%27FILE%27/%3E%3C/svg%3E
        """

    @Test(arguments: references)
    func `external references of a document are not loaded`(content: String) async throws {
        let folder = try ScratchFolder()
        let file = URL(filePath: folder.path).appending(path: "a.png")
        try PNGEncoder().encode(TestImages.photograph(PixelSize(width: 40, height: 40))).write(to: file)
        let text = content.replacing("SVG", with: Self.inner).replacing("FILE", with: file.absoluteString)
        let document = Drawings.document(text)
        let workers = try await Workers.started(maxCount: 1)
        let image = try await workers.drawing(of: document)
        #expect(image.isBlank || content.contains("feImage"))
        // The result of a filter without input may be opaque, but has one colour.
        #expect(Set(stride(from: 0, to: 40, by: 1).map { image.rgba(x: $0, y: $0) }).count == 1)
        #expect(workers.statistics.lostCount == 0)
    }

    @Test func `scripts in a document have no effect`() async throws {
        let shape = "<circle r='20' fill='green'/>"
        let script = """
            <script>document.documentElement.remove(); while (true) {}</script>\(shape)
            <a href='javascript:alert(1)'><set attributeName='onmouseover' to='alert(1)'/></a>
            """
        let attributes = "width='40' height='40' onload='alert(1)'"
        let workers = try await Workers.shared
        let plain = try await workers.drawing(of: Drawings.document(shape))
        let other = try await workers.drawing(of: Drawings.document(script, attributes))
        #expect(plain.rgba8() == other.rgba8())
    }

    @Test(arguments: [
        "<!ENTITY a SYSTEM 'file:///etc/passwd'>", "<!ENTITY a PUBLIC 'a' 'http://127.0.0.1:9/'>",
        "<!ENTITY % b SYSTEM 'file:///etc/passwd'> %b;",
    ])
    func `an external entity is an error`(declaration: String) async throws {
        let text = "<!DOCTYPE svg [\(declaration)]>" + Drawings.document("<text y='20'>&a;</text>")
        let error = try await Workers.shared.error(ofDrawing: Data(text.utf8))
        #expect(error?.code == .corrupt, "\(String(describing: error))")
    }

    @Test func `exponential entities are an error`() async throws {
        let entities = (1..<10).map { level in
            "<!ENTITY e\(level) '\(String(repeating: "&e\(level - 1);", count: 10))'>"
        }
        let text =
            "<!DOCTYPE svg [<!ENTITY e0 '<g/>'>\(entities.joined())]>" + Drawings.document("&e9;")
        let workers = try await Workers.started(maxCount: 1)
        // The time limit starts once the worker exists.
        _ = try await workers.drawing(of: Drawings.document(""))
        let error = try await workers.error(ofDrawing: Data(text.utf8), Self.options(.seconds(10)))
        #expect(error?.code == .corrupt || error?.code == .limitExceeded || error?.code == .timedOut)
        #expect(try await workers.error(ofDrawing: Data(Drawings.document("").utf8)) == nil)
    }

    /// Documents that would each take minutes, or more memory than exists.
    private static let bombs = [
        (1...10).map { level in
            "<g id='u\(level)'>\(String(repeating: "<use href='#u\(level - 1)'/>", count: 10))</g>"
        }.joined() + "<rect id='u0' width='1' height='1'/>",
        """
        <filter id='f' x='-9' y='-9' width='19' height='19'><feGaussianBlur stdDeviation='2000'/>
        <feGaussianBlur stdDeviation='2000'/><feMorphology radius='2000'/></filter>
        <rect width='40' height='40' filter='url(#f)'/>
        """,
        """
        <pattern id='p' width='.0001' height='.0001' patternUnits='userSpaceOnUse'>
        <rect width='9' height='9'/></pattern><rect width='40' height='40' fill='url(#p)'/>
        <filter id='f'>\(String(repeating: "<feTurbulence numOctaves='99'/>", count: 500))</filter>
        <rect width='40' height='40' filter='url(#f)'/>
        """,
    ]

    @Test(arguments: bombs.indices)
    func `a document that takes too long is stopped at its deadline and the next is drawn`(
        index: Int
    ) async throws {
        let workers = try await Workers.started(maxCount: 1)
        // The time limit starts once the worker exists.
        _ = try await workers.drawing(of: Drawings.document(""))
        var options = Self.options(.milliseconds(500))
        options.target = .fit(width: 8_000)
        let start = ContinuousClock.now
        let error = try await workers.error(
            ofDrawing: Data(Drawings.document(Self.bombs[index]).utf8),
            options
        )
        #expect(error?.code == .timedOut || error?.code == .memoryExceeded, "\(String(describing: error))")
        // Far less than the drawing would take.
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(try await workers.error(ofDrawing: Data(Drawings.document("").utf8)) == nil)
    }

    @Test(arguments: [
        Drawings.document("", "width='100000' height='100000'"), Drawings.document("", "width='1e30'"),
        Drawings.document("", "width='1e30' height='1e30'"),
        Drawings.document("", "width='1' height='40000'"), Drawings.document("", "viewBox='0 0 1e-9 1e9'"),
        Drawings.document(String(repeating: "<g/>", count: 400_001)),
        Drawings.document(
            String(repeating: "<g>", count: 3_000) + String(repeating: "</g>", count: 3_000)
        ),
    ])
    func `the sides, elements and depth of a document are limited`(document: String) async throws {
        let workers = try await Workers.started(maxCount: 1)
        let error = try await workers.error(ofDrawing: Data(document.utf8))
        #expect(
            error?.code == .limitExceeded || document.contains("1e-9") && error == nil,
            "\(String(describing: error))"
        )
        #expect(workers.statistics.lostCount == 0)
    }

    @Test(.enabled(if: Packer.isInstalled, "python3 is not installed"))
    func `the byte limit applies to the inflated size of a gzip document`() async throws {
        let document = Data(Drawings.document(String(repeating: " ", count: 30 << 20)).utf8)
        let packed = try Packer.pack(document, as: "gzip")
        var options = DecodeOptions()
        options.limits.maxByteCount = 1 << 20
        #expect(packed.count < 100_000)
        let workers = try await Workers.shared
        let error = try await workers.error(ofDrawing: packed, options)
        #expect(error?.code == .limitExceeded && error?.detail.contains("inflates") == true)
        options.limits.maxByteCount = document.count
        #expect(try await workers.error(ofDrawing: packed, options) == nil)
    }

    @Test(arguments: [
        Deed.create, .connect, .listen, .execute, .fork, .trace, .poke, .killParent, .executableMemory,
        .limits, .unlink,
    ])
    func `a forbidden system call ends an SVG worker`(deed: Deed) async throws {
        #expect(try await Self.error(of: deed)?.code == .crashed)
    }

    @Test func `an SVG worker cannot open a file that is not a font`() async throws {
        #expect(try await Self.error(of: .peek) == nil)
    }

    /// The error of a deed in a worker for SVG.
    private static func error(of deed: Deed) async throws -> DecodeError? {
        let workers = try await Workers.started(maxCount: 1) { $0.arguments = ["svg"] }
        var registry = CodecRegistry()
        registry.register(HostileDecoder(format: .svg))
        let codecs = workers.codecs(registry)
        return try await workers.run { _ -> DecodeError? in
            do throws(DecodeError) {
                _ = try codecs.decode(Data("HOSTILE \(deed.rawValue)".utf8))
                return nil
            } catch {
                return error
            }
        }
    }

    private static func options(_ maxDuration: Duration) -> DecodeOptions {
        var options = DecodeOptions()
        options.limits.maxDuration = maxDuration
        return options
    }
}
