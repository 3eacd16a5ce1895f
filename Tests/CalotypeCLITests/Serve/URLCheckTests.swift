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
        return (Dictionary(uniqueKeysWithValues: lines.told), lines.isRefused)
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
            return Dictionary(uniqueKeysWithValues: lines.told)["signature"]
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
        #expect(thumbor == "fit in 300x200, blur sigma 3.0")
        #expect(try lines("/unsafe/plain/http://src.test/a.jpg").told["steps"]?.hasPrefix("none") == true)
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
