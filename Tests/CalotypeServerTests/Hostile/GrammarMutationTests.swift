import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeServer

/// URLs combined from parts of valid ones and parser-breaking text: each is a rendering or an error, and no
/// computation with sizes overflows.
@Suite(.blocking) struct GrammarMutationTests {
    private static let seeds = [
        "/unsafe/rs:fill:300:200:1:1:noea:10:20/g:fp:0.25:0.75/dpr:2/plain/http://src.test/photo.jpg@webp",
        "/unsafe/c:0.5:200:nowe:1:2/pd:1:2:3:4/rot:90/fl:1:1/bg:255:128:0/bl:2/z:2:3/plain/http://src.test/a",
        "/unsafe/t:10:ffffff/exar:1:so/ex:1/mw:10/mh:20/rt:fill-down/fq:jpg:1:webp:2/mb:5/plain/local:///a",
        "/unsafe/exp:4102444800/fn:Y2F0:1/cb:v/skp:png/raw:1/aHR0cDov/L3NyYy50ZXN0L3Bob3RvLmpwZw.png",
        "/unsafe/a:5:1.5:0.5/mc:1:f00/dt:1:000:fff/pix:8/ush:always:1:24/col:0.5:f00:1/bga:1/plain/local:/a",
        "/unsafe/w:50/gr:1:f00:down:0.1:0.9/br:-5/co:2/sa:2/gr:0.5::45/plain/http://src.test/a",
        "/thumbor/unsafe/9x9/filters:curve([(0,0),(9,5)],[],[],[(1,2)]):noise(5,7):focal(0x1:20x30)/a.test/a",
        "/thumbor/unsafe/fit-in/9x9/filters:convolution(1;2;-1,3,false):fill(blur,1):rgb(1,-2,3)/a.test",
        "/thumbor/unsafe/trim:5/10x20:610x420/adaptive-full-fit-in/-300x-orig/left/top/smart/src.test/a.jpg",
        "/thumbor/unsafe/300x200/filters:fill(red,1):rotate(90):round_corner(20|20,1,2,3):blur(7)/src.test/a",
        "/thumbor/unsafe/0x5/filters:proportion(0.5):contrast(9):no_upscale():max_age(5)/http%3A//src.test/a",
    ]

    private static let guardedSeeds = [
        "/cdn-cgi/image/w=300,h=200,fit=pad,dpr=2,background=rgb%281%2C2%2C3%29/http://src.test/a.jpg?v=1",
        "/cdn-cgi/image/trim=1;2;3;4,trim.width=9,rotate=90,flip=hv,g=0.5x0.3,fit=crop,w=9,h=9/a/b.jpg",
        "/cdn-cgi/image/blur=9,sharpen=1,brightness=2,contrast=2,gamma=2,saturation=0,q=5,f=auto/a.jpg",
        "/cdn-cgi/image/onerror=redirect,anim=false,fit=squeeze,w=1,h=99999/https%3A%2F%2Fsrc.test/",
        "/cdn-cgi/image/w=1,onerror=redirect/a.jpg?v=1",
        "/_next/image?url=%2Fa%20b.jpg%3Fv%3D1&w=640&q=75", "/_next/image/?w=640&q=1&url=http://src.test/a",
    ]

    private static let pieces = [
        "", "/", ":", "@", ".", "%", "%00", "%2e%2e", "%zz", "?", "#", "x", "-", "+", "0", "1", "2147483648",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "100000", "99999", "1e308",
        "1e-308", "1e309", "NaN", "inf", "0.5", "orig", "fit-in", "filters:", ")", "(", "):", ")/", ",", "'",
        "|", "plain", "/plain/", "http://", "local:///", "[::1]", "\u{301}", "\u{200D}", "\u{1F600}", "\u{0}",
        "\r\n", "é", "rs:force:", "el:1", "dpr:100", "z:100:100", "w:1", "h:1", "c:", "sm", "fp:1:1", "100x1",
        "[", "]", "),(", ";",
    ]

    private static let sizes = [
        PixelSize(width: 1, height: 1), PixelSize(width: 1_200, height: 800),
        PixelSize(width: 100_000, height: 1), PixelSize(width: 1, height: 100_000),
        PixelSize(width: 65_535, height: 65_535),
    ]

    private static func mutated(_ seeds: [String], _ numbers: inout SeededGenerator) -> String {
        var characters = Array((seeds.randomElement(using: &numbers) ?? "").unicodeScalars)
        for _ in 0..<Int.random(in: 1...6, using: &numbers) {
            let start = Int.random(in: 1...characters.count, using: &numbers)
            let end = min(characters.count, start + Int.random(in: 0...8, using: &numbers))
            let piece = Array((pieces.randomElement(using: &numbers) ?? "").unicodeScalars)
            characters.replaceSubrange(start..<end, with: piece)
        }
        return String(String.UnicodeScalarView(characters))
    }

    /// The number of decode plans for a target, or `nil` if it is refused.
    private static func chainCount(of target: String, _ service: ImageService) throws -> Int? {
        let rendering: Rendering
        do throws(RequestError) {
            rendering = try service.rendering(of: target)
            _ = try ParsedTarget(rendering, service.configuration)
        } catch {
            return nil
        }
        #expect(!rendering.source.path.contains("/../") && rendering.source.url.host() != "evil.test")
        var count = 0
        for size in sizes {
            do {
                for case let step as any SizedTransform in rendering.transforms.steps {
                    _ = try step.chain(for: size).cacheIdentity
                }
                _ = try rendering.transforms.decodePlan(for: size)
                count += 1
            } catch {
                // This size has no result, which is an error.
                #expect(error is TransformError, "\(target)")
            }
        }
        return count
    }

    @Test func `twenty thousand damaged URLs are renderings or errors`() throws {
        let service = try ServiceBench().service { $0.sources.includesLocalFiles = true }
        var numbers = SeededGenerator(seed: 17)
        var (understood, chains) = (0, 0)
        for _ in 0..<20_000 {
            guard let count = try Self.chainCount(of: Self.mutated(Self.seeds, &numbers), service)
            else { continue }
            understood += 1
            chains += count
        }
        // Both outcomes are frequent enough to be meaningful.
        #expect(understood > 500 && understood < 19_000 && chains > 1_000, "\(understood), \(chains)")
    }

    @Test func `damaged URLs of Next.js and Cloudflare are renderings or errors, and redirect only to paths`()
        throws
    {
        let widths = try #require(AllowedWidths([1, 640, 100_000]))
        let site = try SiteOrigin("http://src.test")
        let service = try ServiceBench().service {
            $0.nextImage = NextImageGrammar(widths: widths, site: site)
            $0.cloudflare = CloudflareGrammar(widths: widths, site: site)
        }
        var numbers = SeededGenerator(seed: 18)
        var understood = 0
        for _ in 0..<10_000 {
            let target = Self.mutated(Self.guardedSeeds, &numbers)
            guard try Self.chainCount(of: target, service) != nil else { continue }
            understood += 1
            guard let place = try service.rendering(of: target).delivery.errorRedirect else { continue }
            let isOfSite = place.hasPrefix("/") && !place.hasPrefix("//")
            let host = URL(string: place)?.host() ?? ""
            #expect(isOfSite || host == "src.test" || host.hasSuffix(".src.test"), "\(target)")
            #expect(place.utf8.allSatisfy { $0 > 32 && $0 != 127 })
        }
        #expect(understood > 200 && understood < 9_800, "\(understood)")
    }
}
