import CalotypeSupport
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestServers
import TestTraits
import Testing

@testable import CalotypeCLI

private let browser = ServerProcess.find("chromium")

/// The console as a browser has it once its script has run.
@Suite(.waiting, .enabled(if: browser != nil, "chromium is not installed: Scripts/setup browser"))
struct ConsoleBrowserTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private static let pool = BlockingPool(width: 2)

    /// The page's elements after some seconds of the browser's own time.
    private func page(_ url: String) async throws -> String {
        let path = try #require(browser)
        let outcome = try await Tool.run(
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder.path)/profile",
                "--virtual-time-budget=5000", "--dump-dom", url,
            ],
            of: URL(filePath: path)
        )
        return outcome.output
    }

    @Test func `the figures are shown, and a hostile source is text`() async throws {
        let origin = try await LoopbackOrigin.start(routes: [
            "/a.jpg": .body(try Pictures.jpeg(), type: "image/jpeg")
        ])
        let status = try await ServedTool.run("--cache-dir=none", "--allow-private-sources") { service in
            _ = try await service.get("\(service.pictures)/unsafe/w:9/plain/\(origin.url("/a.jpg"))")
            let hostile = "<img%20src=x%20onerror=alert(1)>"
            await #expect(throws: (any Error).self) {
                try await service.get("\(service.pictures)/unsafe/plain/\(origin.url("/"))\(hostile).jpg")
            }
            let page = try await page(service.admin)
            #expect(page.contains(#"class="pill good" role="status">ready<"#), "\(page.prefix(3_000))")
            #expect(page.contains("<td class=\"source\">\(origin.url("/a.jpg"))</td>"))
            #expect(page.contains("unacceptableStatus"))
            #expect(!page.contains("<img src=\"x\"") && !page.contains("onerror=\"alert"))
        }
        #expect(status == 0)
        await origin.close()
    }

    @Test func `the token is asked for where there is one`() async throws {
        _ = try await ServedTool.run("--cache-dir=none", environment: ["CALOTYPE_ADMIN_TOKEN": "hush"]) {
            service in
            let page = try await page(service.admin)
            #expect(page.contains("<section id=\"token\" aria-labelledby"))
        }
    }
}
