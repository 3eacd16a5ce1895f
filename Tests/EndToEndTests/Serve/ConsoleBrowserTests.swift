import CalotypeLoading
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestTraits
import Testing

@testable import CalotypeCLI

/// The console as a browser has it once its script has run.
@Suite(.waiting, .enabled(if: Browser.isInstalled, Browser.advice))
struct ConsoleBrowserTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private func page(_ url: String) async throws -> String { try await Browser.page(url, in: folder) }

    @Test func `the figures are shown, and a hostile source is text`() async throws {
        let origin = try await LoopbackOrigin.start(routes: [
            "/a.jpg": .body(try Pictures.jpeg(), type: "image/jpeg")
        ])
        let status = try await RunningService.run("--cache-dir=none", "--allow-private-sources") { service in
            _ = try await service.get("/unsafe/w:9/plain/\(origin.url("/a.jpg"))")
            let hostile = "<img%20src=x%20onerror=alert(1)>"
            let (answer, _) = try await service.get("/unsafe/plain/\(origin.url("/"))\(hostile).jpg")
            #expect(answer.status == 404)
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
        _ = try await RunningService.run("--cache-dir=none", environment: ["CALOTYPE_ADMIN_TOKEN": "hush"]) {
            service in
            let page = try await page(service.admin)
            #expect(page.contains("<section id=\"token\" aria-labelledby"))
        }
    }
}
