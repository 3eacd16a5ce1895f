import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

/// The addresses that `calotype health` queries.
@Suite(.gated) struct ServeAddressesTests {
    @Test func `settings that do not affect addresses are ignored`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID()).json").path
        defer { unlink(path) }
        let text = #"{"trusted-signatures": ["hush"], "only-presets": true, "admin": "0.0.0.0:81"}"#
        try Data(text.utf8).write(to: URL(filePath: path))
        let environment = [
            "CALOTYPE_LISTEN": "0.0.0.0:80", "CALOTYPE_PATH_PREFIX": "/img//a/", "CALOTYPE_QUALITY": "none",
        ]
        let places = try await SettingsSource.places(listen: nil, environment, file: path)
        #expect("\(places.pictures)" == "0.0.0.0:80" && places.pathPrefix == "/img/a")
        #expect(places.admin.map { "\($0)" } == "0.0.0.0:81")
        let other = try await SettingsSource.places(listen: "127.0.0.1:9", environment, file: path)
        #expect("\(other.pictures)" == "127.0.0.1:9")
    }

    @Test func `an invalid address and a missing file are reported`() async {
        await #expect(throws: SettingMistakes.self) {
            try await SettingsSource.places(listen: nil, ["CALOTYPE_ADMIN": "here"], file: nil)
        }
        await #expect(throws: SettingMistakes.self) {
            try await SettingsSource.places(listen: nil, [:], file: "/nowhere/at/all.json")
        }
    }
}
