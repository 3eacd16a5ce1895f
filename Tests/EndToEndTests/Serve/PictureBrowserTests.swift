import CalotypeCore
import CalotypeLoading
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.waiting, .enabled(if: Browser.isInstalled, Browser.advice))
struct PictureBrowserTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    /// A path to sign, and the expected size.
    private struct Order {
        let path: String
        let size: String
    }

    private static let count = 20
    private static let formats = ["jpeg", "webp", "avif", "png", "gif"]

    /// The format of an image; `nil` for the first ones, whose formats are negotiated.
    private static func format(_ index: Int) -> String? { index < 5 ? nil : formats[index % formats.count] }

    /// An order for an image of 120×80.
    private static func imgproxy(_ index: Int, of source: URL) -> Order {
        let (width, height) = (20 + index, 30 + index)
        let fitted = PixelSize(width: 30 + 3 * index, height: 20 + 2 * index)
        let (options, size) =
            switch index % 3 {
            case 0: ("rs:fill:\(width):\(height)", "\(width)x\(height)")
            case 1: ("rs:force:\(width):\(height)", "\(width)x\(height)")
            default: ("rs:fit:\(fitted.width):0", "\(fitted.width)x\(fitted.height)")
            }
        let end = format(index).map { "@\($0)" } ?? ""
        return Order(path: "/\(options)/plain/\(source)\(end)", size: size)
    }

    private static func thumbor(_ index: Int, of source: URL) -> Order {
        let (width, height) = (20 + index, 30 + index)
        let fitted = PixelSize(width: 30 + 3 * index, height: 20 + 2 * index)
        let (options, size) =
            switch index % 3 {
            case 0: ("\(width)x\(height)", "\(width)x\(height)")
            case 1: ("\(width)x\(height)/smart", "\(width)x\(height)")
            default: ("fit-in/\(fitted.width)x\(fitted.width)", "\(fitted.width)x\(fitted.height)")
            }
        let filters = format(index).map { "/filters:format(\($0))" } ?? ""
        return Order(path: "\(options)\(filters)/\(source)", size: size)
    }

    /// The paths signed by `calotype sign`.
    private static func signed(_ orders: [Order], _ grammar: String, _ keys: [String: String]) async throws
        -> [String]
    {
        let names = keys.map { "\($0.key)=\($0.value)" }
        let arguments = names + [Tool.executable.path, "sign", "--grammar", grammar] + orders.map(\.path)
        let outcome = try await Tool.run(arguments, of: URL(filePath: "/usr/bin/env"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    /// A page with images that reports their sizes once all have loaded or failed.
    private static func page(_ urls: [String]) -> String {
        """
        <!doctype html><meta charset="utf-8"><title>Pictures</title>
        \(urls.map { "<img src=\"\($0)\" alt=\"\">" }.joined(separator: "\n"))
        <script>
        const pictures = [...document.images];
        Promise.all(pictures.map(picture => picture.decode().catch(() => {}))).then(() => {
          const sizes = document.createElement('output');
          sizes.append(pictures.map(picture => picture.naturalWidth + 'x' + picture.naturalHeight).join(' '));
          document.body.append(sizes);
        });
        </script>
        """
    }

    @Test func `a page with forty signed URLs of both grammars shows each image at its size`() async throws {
        let origin = try await LoopbackOrigin.start(routes: [
            "/a.jpg": .body(try Pictures.jpeg(), type: "image/jpeg")
        ])
        let keys = [
            "CALOTYPE_KEY": "736563726574", "CALOTYPE_SALT": "68656C6C6F", "CALOTYPE_THUMBOR_KEY": "secret",
        ]
        let source = origin.url("/a.jpg")
        let (first, second) = (
            (0..<Self.count).map { Self.imgproxy($0, of: source) },
            (0..<Self.count).map { Self.thumbor($0, of: source) }
        )
        let targets =
            try await Self.signed(first, "imgproxy", keys) + Self.signed(second, "thumbor", keys)
        try #require(targets.count == 40)
        try await RunningService.run("--cache-dir=none", "--allow-private-sources", environment: keys) {
            service in
            let file = URL(filePath: folder.path).appending(path: "page.html")
            try Data(Self.page(targets.map { service.pictures + $0 }).utf8).write(to: file)
            let page = try await Browser.page(file.absoluteString, in: folder)
            let told = page.firstMatch(of: /<output>(.*)<\/output>/)?.1
            #expect(told.map(String.init) == (first + second).map(\.size).joined(separator: " "))
            #expect(try await service.get("/unsafe" + first[0].path).answer.status == 403)
        }
        await origin.close()
    }
}
