import CalotypeLoading
import CalotypeTesting
import Foundation
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

/// The console in a browser after its script has run.
@Suite(.waiting, .enabled(if: Browser.isInstalled, Browser.advice))
struct ConsoleBrowserTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private func page(_ url: String) async throws -> String { try await Browser.page(url, in: folder) }

    @Test func `the figures are shown, and a hostile source is shown as text`() async throws {
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

    @Test func `the page asks for the token if one is set`() async throws {
        _ = try await RunningService.run("--cache-dir=none", environment: ["CALOTYPE_ADMIN_TOKEN": "hush"]) {
            service in
            let page = try await page(service.admin)
            #expect(page.contains("<section id=\"token\" aria-labelledby"))
        }
    }

    /// Runs a body with the console of a service that has loaded one image; expects no script errors.
    private func use(
        _ body: (BrowserPage, _ source: URL, RunningService) async throws -> Void
    ) async throws {
        let origin = try await LoopbackOrigin.start(routes: [
            "/a.jpg": .body(try Pictures.jpeg(), type: "image/jpeg")
        ])
        let source = origin.url("/a.jpg")
        try await RunningService.run("--cache-dir=none", "--allow-private-sources") { service in
            _ = try await service.get("/unsafe/w:9/plain/\(source)")
            try await service.untilIdle()
            let faults = try await BrowserPage.run(in: folder) { page in
                try await page.open(service.admin)
                try await page.until("document.getElementById('state')?.textContent === 'ready'")
                try await body(page, source, service)
            }
            #expect(faults == [])
        }
        await origin.close()
    }

    @Test func `an image is tested and signed with the keyboard alone`() async throws {
        try await use { page, source, _ in
            try await page.tab(to: "element.id === 'try-source'")
            try await page.type(source.absoluteString)
            try await page.press(.enter)
            try await page.until("!document.getElementById('try-result').hidden")
            // 600×400 is requested of 120×80, which is not enlarged.
            let size = "(picture => picture.naturalWidth + 'x' + picture.naturalHeight)"
            #expect(try await page.value("\(size)(document.getElementById('try-picture'))") == "120x80")
            let facts = try await page.value("document.getElementById('try-facts').textContent")
            #expect(facts.contains("frommiss") && facts.contains("decode"), "\(facts)")
            try await page.tab(to: "element.id === 'try-sign'")
            #expect(try await page.value("getComputedStyle(document.activeElement).outlineStyle") != "none")
            try await page.press(.enter)
            try await page.until("document.getElementById('try-said').textContent !== ''")
            let url = try await page.value("document.getElementById('try-url').textContent")
            #expect(url.hasSuffix("/unsafe/rs:fit:600:400/plain/\(source)"), "\(url)")
        }
    }

    @Test func `images are purged with the keyboard alone, and all of them only after confirmation`()
        async throws
    {
        try await use { page, source, service in
            let said = "document.getElementById('purge-said').textContent"
            try await page.tab(to: "element.name === 'what'")
            try await page.press(.tab)
            try await page.type(source.absoluteString)
            try await page.press(.enter)
            try await page.until("\(said) !== ''")
            #expect(try await page.value(said) == "0 originals and 1 result purged.")
            _ = try await service.get("/unsafe/w:9/plain/\(source)")
            try await service.untilIdle()
            try await page.tab(to: "element.name === 'what'")
            for _ in 1...2 { try await page.press(.arrowDown) }
            #expect(try await page.value("document.activeElement.value") == "all")
            try await page.tab(to: "element.id === 'purge-button'")
            try await page.press(.enter)
            #expect(try await page.value("document.activeElement.textContent") == "Yes, purge everything")
            #expect(try await page.value(said) == "0 originals and 1 result purged.")
            #expect(try await service.metric("calotype_memory_cache_bytes") > 0)
            try await page.press(.enter)
            try await page.until("document.getElementById('purge-button').textContent === 'Purge'")
            try await page.until("!document.getElementById('purge-button').disabled")
            #expect(try await service.metric("calotype_memory_cache_bytes") == 0)
        }
    }

    /// The lowest contrast of a text with its background (WCAG 2.2, 1.4.3), and its element.
    private static let contrast = """
        (() => {
          const light = color => color.match(/[0-9.]+/g).slice(0, 3).map(Number).map(level => level / 255)
            .map(level => level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4)
            .reduce((sum, level, index) => sum + level * [0.2126, 0.7152, 0.0722][index], 0);
          const shows = element => element.checkVisibility() && [...element.childNodes]
            .some(node => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
          const behind = element => {
            while (element && /^rgba\\(.*, 0\\)$/.test(getComputedStyle(element).backgroundColor)) {
              element = element.parentElement;
            }
            return element ? getComputedStyle(element).backgroundColor : 'rgb(255, 255, 255)';
          };
          const all = [...document.body.querySelectorAll('*')].filter(shows).map(element => {
            const pair = [getComputedStyle(element).color, behind(element)].map(light).sort((a, b) => b - a);
            return [(pair[0] + 0.05) / (pair[1] + 0.05), element.tagName + '.' + element.className];
          }).sort((a, b) => a[0] - b[0]);
          return all[0][0].toFixed(2) + ' ' + all[0][1];
        })()
        """

    @Test func `text is readable in the dark and the light scheme`() async throws {
        try await use { page, _, _ in
            for scheme in ["dark", "light"] {
                try await page.prefer(colorScheme: scheme)
                try await page.until("matchMedia('(prefers-color-scheme: \(scheme))').matches")
                let back = "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0] < 128"
                #expect(try await page.value(back) == "\(scheme == "dark")")
                let lowest = try await page.value(Self.contrast)
                #expect(
                    lowest.split(separator: " ").first.flatMap { Double($0) } ?? 0 >= 4.5,
                    "\(scheme): \(lowest)"
                )
            }
        }
    }

    @Test func `the page fits a telephone of 360 pixels`() async throws {
        try await use { page, source, service in
            let long = String(repeating: "a-long-name", count: 20)
            _ = try await service.get("/unsafe/plain/\(source)\(long)")
            try await page.resize(width: 360)
            try await page.tab(to: "element.id === 'try-source'")
            try await page.type(source.absoluteString)
            try await page.press(.enter)
            try await page.until("!document.getElementById('try-result').hidden")
            try await page.until("document.getElementById('failures').textContent.includes('\(long)')")
            #expect(try await page.value("document.documentElement.scrollWidth") == "360")
            #expect(try await page.value("innerWidth") == "360")
        }
    }
}
