import Calotype
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

/// URLs created and signed by the clients of thumbor and imgproxy.
@Suite(.blocking, .enabled(if: ForeignClients.isInstalled, "\(ForeignClients.advice)"))
struct ForeignClientTests {
    private let services: [String: ImageService]
    private let unsigned: ImageService

    init() throws {
        let picture = try JPEGEncoder(quality: 60).encode(
            TestImages.photograph(PixelSize(width: 1_200, height: 800))
        )
        let bench = try ServiceBench { request, _ in
            .network(request.url, picture, ["Cache-Control": "max-age=600"])
        }
        unsigned = bench.service()
        let pairs = try #require(SigningKey.keys(hex: "736563726574,deadbeef", salts: "68656C6C6F,cafe"))
        let signed = bench.service { configuration in
            configuration.imgproxy?.signature = ImgproxySignature(keys: pairs)
            configuration.thumbor?.signature = ThumborSignature(keys: [SigningKey("MY_SECURE_KEY")])
        }
        services = ["first": signed, "second": signed, "wrong": signed, "none": signed]
    }

    @Test func `each URL of a foreign client gives its own server's image, and none passes unsigned`()
        async throws
    {
        let urls = try ForeignClients.urls()
        #expect(urls.count > 100 && Set(urls.map(\.signed)) == ["none", "first", "second", "wrong"])
        for url in urls {
            let target = (url.grammar == "thumbor" ? "/thumbor" : "") + url.path
            let request = ServiceRequest(target: target)
            let signed = try #require(services[url.signed])
            let checked = try await signed.response(to: request)
            guard url.signed == "first" || url.signed == "second" else {
                #expect(checked.status == 403, "\(target)")
                if url.signed == "none" { try expect(url, target, await unsigned.response(to: request)) }
                continue
            }
            try expect(url, target, checked)
        }
    }

    private func expect(_ url: ForeignClients.MadeURL, _ target: String, _ answer: ServiceResponse) throws {
        #expect(answer.status == 200, "\(target)")
        guard answer.status == 200 else { return }
        #expect(ImageFormat(sniffing: answer.body)?.rawValue == url.format, "\(target)")
        let size = try CodecRegistry.publicWeb.info(of: answer.body, limits: DecodeLimits()).size
        #expect(size.width == url.width, "\(target): \(size)")
        if let height = url.height { #expect(size.height == height, "\(target): \(size)") }
    }
}

/// The clients, in a separate Python environment.
enum ForeignClients {
    /// A URL created by a client, with the expected result.
    struct MadeURL: Decodable {
        let grammar: String
        let path: String
        let signed: String
        let width: Int
        /// `nil` if it depends on the pixels.
        let height: Int?
        let format: String
    }

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let python = root.appending(path: ".build-clients/bin/python").path

    static let advice = "needs libthumbor and imgproxy's Python client: Scripts/setup clients"

    static var isInstalled: Bool {
        FileManager.default.fileExists(atPath: root.appending(path: ".build-clients/ready").path)
    }

    static func urls() throws -> [MadeURL] {
        let script = root.appending(path: "Scripts/client-urls").path
        let (text, end) = try ChildProcess.output(of: python, [script])
        try #require(end == 0)
        return try text.split(separator: "\n").map {
            try JSONDecoder().decode(MadeURL.self, from: Data($0.utf8))
        }
    }
}
