import CalotypeServer
import Foundation
import Testing

@testable import CalotypeCLI

@Suite struct URLCheckTests {
    private func lines(_ url: String, _ arguments: String...) throws -> (
        told: [String: String], isRefused: Bool
    ) {
        let settings = try SettingsSource(arguments, [:]).settings
        let lines = URLCheck(settings).lines(about: url)
        return (Dictionary(uniqueKeysWithValues: lines.told), lines.isRefused)
    }

    private let key = ["--key=736563726574", "--salt=68656C6C6F"]

    @Test func `a signed URL is understood, with what is signed`() throws {
        let path = "/resize:fill:300:300/gravity:no/plain/http://src.test/photo.jpg@png"
        let url = "https://a.test/cy2RXt9rkQMNILQF5xNCTVxEz3YzpKyxWzD2WenpRIc\(path)?x=1"
        let told = try lines(url, key[0], key[1])
        #expect(!told.isRefused && told.told["signed"] == path && told.told["signature"] == "right")
        #expect(told.told["source"] == "http://src.test/photo.jpg" && told.told["format"] == "png")
        #expect(told.told["steps"]?.contains("300x300") == true)
    }

    @Test func `a wrong signature is told with the right one, and what the URL would ask for`() throws {
        let told = try lines("/wrong/rs:fit:30:30/plain/http://src.test/a.jpg", key[0], key[1])
        #expect(told.isRefused && told.told["answer"]?.hasPrefix("403 ") == true)
        #expect(told.told["signature"]?.hasPrefix("wrong: wrong; it would be ") == true)
        #expect(told.told["source"] == "http://src.test/a.jpg")
    }

    @Test func `an option that there is not is named`() throws {
        let told = try lines("/unsafe/foo:1/plain/http://src.test/a.jpg")
        #expect(told.isRefused && told.told["answer"]?.contains("foo") == true)
    }

    @Test func `thumbor's URLs have their own place`() throws {
        let told = try lines("/thumbor/unsafe/300x200/src.test/a.jpg")
        #expect(!told.isRefused && told.told["grammar"] == "thumbor")
        #expect(told.told["signed"] == "300x200/src.test/a.jpg")
        #expect(try lines("/thumbor/unsafe/300x200/src.test/a.jpg", key[0], key[1]).isRefused)
    }

    @Test func `a source that is not allowed is refused, and said to be so`() throws {
        let told = try lines("/unsafe/plain/http://evil.test/a.jpg", "--allowed-sources=a.test")
        #expect(told.isRefused && told.told["answer"]?.hasPrefix("403 ") == true)
    }

    @Test(arguments: ["", "nothing", "http://a.test", "/", "/images", "/unsafe/plain/http://a.test/b"])
    func `what is beside the path of the service is refused`(url: String) throws {
        #expect(try lines(url, "--path-prefix=/images").isRefused)
    }
}
