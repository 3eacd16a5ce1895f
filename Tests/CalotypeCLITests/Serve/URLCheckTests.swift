import CalotypeServer
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct URLCheckTests {
    private func lines(_ url: String, _ arguments: String...) throws -> (
        told: [String: String], isRefused: Bool
    ) {
        let settings = try SettingsSource(arguments, [:]).settings
        let lines = URLCheck(settings).lines(about: url)
        return (Dictionary(lines.told) { "\($0)\n\($1)" }, lines.isRefused)
    }

    private let key = ["--key=736563726574", "--salt=68656C6C6F"]

    @Test func `a signed URL is explained, with the signed part`() throws {
        let path = "/resize:fill:300:300/gravity:no/plain/http://src.test/photo.jpg@png"
        let url = "https://a.test/cy2RXt9rkQMNILQF5xNCTVxEz3YzpKyxWzD2WenpRIc\(path)?x=1"
        let told = try lines(url, key[0], key[1])
        #expect(!told.isRefused && told.told["signed"] == path && told.told["signature"] == "right")
        #expect(told.told["source"] == "http://src.test/photo.jpg" && told.told["format"] == "png")
        #expect(told.told["steps"] == "resize fill 300x300, gravity top:0.0:0.0")
    }

    @Test func `pages, and the Exif fields of a description, are explained`() throws {
        let source = "plain/http://src.test/a.tiff"
        #expect(try lines("/_/pg:2/\(source)").told["pages"] == "2, counted from 0")
        #expect(try lines("/_/pg:2/pgs:3/\(source)").told["pages"] == "2 to 4, stacked, counted from 0")
        #expect(try lines("/_/w:9/\(source)").told["pages"] == nil)
        let plain = try lines("/info/_/\(source)")
        #expect(!plain.isRefused && plain.told["exif"] == "included, without the position")
        let located = try lines("/info/_/\(source)", "--info-location=true")
        #expect(located.told["exif"] == "included, with the position")
        #expect(try lines("/info/_/exif:0/\(source)").told["exif"] == "not included")
        let picture = try lines("/_/exif:0/\(source)")
        #expect(picture.isRefused && picture.told["answer"]?.hasPrefix("404 ") == true)
    }

    @Test func `a wrong signature is reported with the right one and the meaning of the URL`() throws {
        let told = try lines("/wrong/rs:fit:30:30/plain/http://src.test/a.jpg", key[0], key[1])
        #expect(told.isRefused && told.told["answer"]?.hasPrefix("403 ") == true)
        #expect(told.told["signature"]?.hasPrefix("wrong: wrong; expected ") == true)
        #expect(told.told["source"] == "http://src.test/a.jpg")
    }

    @Test func `a signature is right if the service accepts it, with any key`() throws {
        let path = "/rs:fit:30:30/plain/http://src.test/a.jpg"
        func signed(_ key: String, _ salt: String, _ count: Int = 32) throws -> String {
            let keys = try #require(SigningKey.keys(hex: key, salts: salt))
            return try ImgproxyGrammar(signature: ImgproxySignature(keys: keys, byteCount: count)).signed(
                path
            )
        }
        func signature(_ url: String, _ arguments: [String]) throws -> String? {
            let lines = URLCheck(try SettingsSource(arguments, [:]).settings).lines(about: url)
            #expect(!lines.isRefused)
            return Dictionary(lines.told) { first, _ in first }["signature"]
        }
        let rotated = ["--key=61626364,736563726574", "--salt=6364,68656C6C6F"]
        #expect(try signature(signed("736563726574", "68656C6C6F"), rotated) == "right")
        #expect(try signature(signed("61626364", "6364", 8), rotated + ["--signature-size=8"]) == "right")
        #expect(try signature("/hush" + path, key + ["--trusted-signatures=hush"]) == "right")
        let thumbor = ThumborGrammar(signature: ThumborSignature(keys: [SigningKey("mine")]))
        let url = "/thumbor" + thumbor.signed("9x9/src.test/a.jpg").replacing("=", with: "%3D")
        #expect(url.contains("%3D"))
        #expect(try signature(url, ["--thumbor-key=mine"]) == "right")
    }

    @Test func `a URL about the original is explained`() throws {
        let told = try lines("/images/info/unsafe/w:9/plain/http://src.test/a.jpg", "--path-prefix=/images")
        #expect(!told.isRefused && told.told["source"] == "http://src.test/a.jpg")
        #expect(told.told["asked for"] != nil)
        #expect(try lines("/info/thumbor/unsafe/9x9/src.test/a.jpg").told["grammar"] == "thumbor")
    }

    @Test(arguments: [
        (
            "/unsafe/rs:fill:300:200/bl:2.5/pr:thumb/plain/http://src.test/a.jpg",
            [
                "rs:fill:300:200 = resize: type fill, width 300, height 200", "bl:2.5 = blur: 2.5",
                "pr:thumb = preset: thumb",
            ]
        ),
        (
            "/thumbor/unsafe/fit-in/300x200/smart/filters:blur(7,2):grayscale()/src.test/a.jpg",
            [
                "fit-in = within the size", "300x200 = width x height",
                "smart = the part with the most detail is retained",
                "blur(7,2) = blur: radius 7, sigma 2", "grayscale() = grayscale",
            ]
        ),
        (
            "/cdn-cgi/image/w=300,fit=cover,onerror=redirect/a.jpg?v=1",
            ["w=300 = width: 300", "fit=cover = fit: cover", "onerror=redirect = onerror: redirect"]
        ),
        (
            "/_next/image?url=%2Fa.jpg&w=640&q=75&dpl=x",
            [
                "url=%2Fa.jpg = source: /a.jpg", "w=640 = width: 640", "q=75 = quality: 75",
                "dpl=x = ignored: not a parameter of Next.js",
            ]
        ),
    ])
    func `each option of each grammar is explained`(url: String, options: [String]) throws {
        let guarded = [
            "--next-image", "--cloudflare", "--allow-unsigned", "--widths=320,640",
            "--allowed-sources=src.test", "--site-url=https://src.test", "--presets=thumb=h:9",
        ]
        let settings = try SettingsSource(guarded, [:]).settings
        let lines = URLCheck(settings).lines(about: url)
        #expect(!lines.isRefused, "\(lines.told)")
        #expect(lines.told.filter { $0.0 == "option" }.map(\.1) == options)
    }

    @Test func `a URL of a guarded grammar is explained with its rounded size`() throws {
        let arguments = [
            "--cloudflare", "--widths=320,640", "--allowed-sources=src.test", "--site-url=https://src.test",
        ]
        let settings = try SettingsSource(arguments, [:]).settings
        let lines = URLCheck(settings).lines(about: "/cdn-cgi/image/w=300,onerror=redirect/a.jpg?v=1")
        let told = Dictionary(lines.told) { first, _ in first }
        #expect(!lines.isRefused && told["grammar"] == "cloudflare" && told["steps"] == "resize fit 320x0")
        #expect(told["source"] == "https://src.test/a.jpg?v=1")
        #expect(told["on errors"] == "redirects to /a.jpg?v=1")
        #expect(URLCheck(settings).lines(about: "/unsafe/plain/http://src.test/a").isRefused)
        let plain = URLCheck(try SettingsSource([], [:]).settings)
        #expect(plain.lines(about: "/cdn-cgi/image/w=300/a.jpg").isRefused)
        #expect(plain.lines(about: "/_next/image?url=/a&w=1&q=1").isRefused)
    }

    @Test func `the path of an upload is explained, with its signature or token`() throws {
        let keys = try #require(SigningKey.keys(hex: "736563726574", salts: "68656C6C6F"))
        let grammar = ImgproxyGrammar(signature: ImgproxySignature(keys: keys))
        let path = try grammar.signed("/w:300/plain/-@webp")
        let told = try lines(path, key[0], key[1], "--uploads")
        #expect(!told.isRefused && told.told["answer"] == "a POST is served")
        #expect(told.told["source"] == "the body of a POST" && told.told["format"] == "webp")
        #expect(try lines("/x/w:300/plain/-", key[0], key[1], "--uploads").isRefused)
        let token = try lines("/x/w:300/plain/-", key[0], key[1], "--uploads", "--upload-token=token-1")
        #expect(!token.isRefused && token.told["answer"] == "a POST with the upload-token is served")
        #expect(try lines(path, key[0], key[1]).isRefused)
        let marked = try grammar.signed("/wm:1/wmu:aHR0cDovL3dtLnRlc3QvYS5wbmc/plain/-")
        #expect(try !lines(marked, key[0], key[1], "--uploads").isRefused)
        #expect(try lines(marked, key[0], key[1], "--uploads", "--allowed-sources=src.test").isRefused)
        #expect(try lines(try grammar.signed("/wm:1/plain/-"), key[0], key[1], "--uploads").isRefused)
    }

    @Test func `an unknown option is named`() throws {
        let told = try lines("/unsafe/foo:1/plain/http://src.test/a.jpg")
        #expect(told.isRefused && told.told["answer"]?.contains("foo") == true)
    }

    @Test func `steps are described in words, not as cache keys`() throws {
        let options = "rs:fit:30:0/rot:90/bl:3/bg:ff0000/pd:5"
        let imgproxy = try lines("/unsafe/\(options)/plain/http://src.test/a.jpg").told["steps"]
        let expected = "turn 90°, resize fit 30x0, blur 3.0, pad 5:5:5:5, flatten onto ff0000ff"
        #expect(imgproxy == expected)
        let thumbor = try lines("/thumbor/unsafe/fit-in/300x200/filters:blur(3)/src.test/a.jpg").told["steps"]
        #expect(thumbor == "fit in 300x200, blur sigma 1.835")
        #expect(try lines("/unsafe/plain/http://src.test/a.jpg").told["steps"]?.hasPrefix("none") == true)
    }

    @Test func `watermarks are described, and checked like sources`() throws {
        let url = "aHR0cDovL3dtLnRlc3QvYS5wbmc"
        let path = "/unsafe/wm:0.5:soea:10:5:0.2/wmu:\(url)/plain/http://src.test/a.jpg"
        let told = try lines(path)
        #expect(!told.isRefused)
        #expect(
            told.told["steps"] == "watermark http://wm.test/a.png, opacity 0.5, at bottomRight:10.0:5.0, "
                + "fitted into 0.2 of the result"
        )
        #expect(try lines(path, "--allowed-sources=src.test").isRefused)
        let filter = "watermark(10.0.0.1/a.png,-10,repeat,25,50)"
        let local = try lines("/thumbor/unsafe/filters:\(filter)/src.test/a.jpg")
        #expect(local.isRefused && local.told["answer"]?.contains("10.0.0.1") == true)
        #expect(local.told["steps"]?.contains("opacity 0.75, at -10:repeat, fitted into 50.0% x any") == true)
        #expect(try lines("/unsafe/wm:1/plain/http://src.test/a.jpg").isRefused)
        let configured = try lines(
            "/unsafe/wm:1:re:5:5/plain/http://src.test/a.jpg",
            "--watermark-url=http://wm.test/a.png"
        )
        #expect(configured.told["steps"]?.contains("of the settings, opacity 1.0, repeated") == true)
    }

    @Test func `options of encoders and frames are explained`() throws {
        let options = "jpgo:1:1/pngo:0:1:16/webpo:lossless::icon/avifo:off/maf:7"
        let told = try lines("/unsafe/\(options)/plain/http://src.test/a.jpg")
        #expect(!told.isRefused && told.told["frames"] == "at most 7")
        let expected =
            "jpeg progressive on, jpeg full chroma on, png interlaced off, png quantized on, png colours 16, "
            + "webp lossless on, webp preset icon, avif subsampling off"
        #expect(told.told["encoders"] == expected)
        #expect(try lines("/unsafe/da:1/plain/http://src.test/a.jpg").told["frames"] == "the first")
        #expect(try lines("/unsafe/w:1/plain/http://src.test/a.jpg").told["encoders"] == nil)
        let refused = try lines("/unsafe/pngo::1:999/plain/http://src.test/a.jpg")
        #expect(refused.isRefused && refused.told["answer"]?.contains("2 to 256") == true)
    }

    @Test func `thumbor URLs have their own path`() throws {
        let told = try lines("/thumbor/unsafe/300x200/src.test/a.jpg")
        #expect(!told.isRefused && told.told["grammar"] == "thumbor")
        #expect(told.told["signed"] == "300x200/src.test/a.jpg")
        #expect(try lines("/thumbor/unsafe/300x200/src.test/a.jpg", key[0], key[1]).isRefused)
    }

    @Test func `a forbidden source is rejected and reported as such`() throws {
        let told = try lines("/unsafe/plain/http://evil.test/a.jpg", "--allowed-sources=a.test")
        #expect(told.isRefused && told.told["answer"]?.hasPrefix("403 ") == true)
    }

    @Test(arguments: ["", "nothing", "http://a.test", "/", "/images", "/unsafe/plain/http://a.test/b"])
    func `a path outside the service is rejected`(url: String) throws {
        #expect(try lines(url, "--path-prefix=/images").isRefused)
    }
}
