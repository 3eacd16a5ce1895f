import CalotypeCore
import CalotypeHummingbird
import CalotypeLoading
import CalotypeServer
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct PrivateSourceTests {
    private func addresses(
        _ arguments: [String],
        _ environment: [String: String] = [:]
    ) throws -> ServeSettings {
        try SettingsSource(arguments, environment).settings
    }

    @Test func `ranges are allowed beside the public Internet`() throws {
        let file = ("a", Data(#"{"allow-private-sources": ["10.1.2.0/24", "::1"]}"#.utf8))
        for settings in [
            try addresses(["--allow-private-sources=10.1.2.0/24, ::1"]),
            try addresses(["--allow-private-sources", "10.1.2.0/24,::1"]),
            try addresses([], ["CALOTYPE_ALLOW_PRIVATE_SOURCES": "10.1.2.0/24,::1"]),
            try SettingsSource([], [:], file).settings,
        ] {
            #expect(settings.sources.addresses == .publicOnly(allowing: ["10.1.2.0/24", "::1"]))
            #expect(!settings.sources.addresses.refusesHost("10.1.2.3"))
            #expect(settings.sources.addresses.refusesHost("10.1.3.3"))
        }
    }

    @Test func `the setting still works as a flag`() throws {
        #expect(try addresses(["--allow-private-sources"]).sources.addresses == .any)
        #expect(try addresses(["--allow-private-sources", "--queue=7"]).sources.addresses == .any)
        #expect(try addresses(["--allow-private-sources=true"]).sources.addresses == .any)
        #expect(try addresses(["--allow-private-sources=false"]).sources.addresses == .publicOnly)
        let file = ("a", Data(#"{"allow-private-sources": true}"#.utf8))
        #expect(try SettingsSource([], [:], file).settings.sources.addresses == .any)
    }

    @Test func `sources in an allowed range may be listed`() throws {
        let settings = try addresses(["--allow-private-sources=10.0.0.0/8", "--allowed-sources=10.1.1.1"])
        #expect(settings.service.sources.patterns?.count == 1)
        #expect(mistakes(["--allow-private-sources=10.0.0.0/8", "--allowed-sources=192.168.0.1"]).count == 1)
    }

    @Test func `imgproxy's variables name ranges`() throws {
        func policy(_ names: String..., value: String = "true") throws -> ServeSettings {
            let pairs = names.map { ("IMGPROXY_ALLOW_\($0)_SOURCE_ADDRESSES", value) }
            let source = try SettingsSource([], Dictionary(uniqueKeysWithValues: pairs))
            #expect(source.warnings.isEmpty)
            return source.settings
        }
        let loopback = try policy("LOOPBACK").sources.addresses
        #expect(!loopback.refusesHost("127.0.0.1") && loopback.refusesHost("10.0.0.1"))
        let both = try policy("LINK_LOCAL", "PRIVATE").sources.addresses
        #expect(!both.refusesHost("169.254.1.1") && !both.refusesHost("fd00::1"))
        #expect(both.refusesHost("127.0.0.1") && both.refusesHost("localhost"))
        #expect(try policy("PRIVATE", value: "false").sources.addresses == .publicOnly)
    }

    @Test func `the names of imgproxy 3 are supported`() throws {
        let source = try SettingsSource(
            [],
            [
                "IMGPROXY_ENABLE_WEBP_DETECTION": "true", "IMGPROXY_CONCURRENCY": "7",
                "IMGPROXY_READ_TIMEOUT": "5", "IMGPROXY_WRITE_TIMEOUT": "6", "IMGPROXY_WORKERS": "8",
            ]
        )
        #expect(source.warnings.isEmpty && source.settings.service.offers == [.webP])
        #expect(source.settings.tiers.maxWorkCount == 8)
        #expect(source.settings.listeners.limits.headerTimeout == .seconds(5))
        #expect(source.settings.listeners.limits.writeTimeout == .seconds(6))
    }

    @Test func `checking the URL of a private address rejects it`() throws {
        typealias Lines = (told: [(String, String)], isRefused: Bool)
        func lines(_ url: String, _ arguments: String...) throws -> Lines {
            URLCheck(try SettingsSource(arguments, [:]).settings).lines(about: url)
        }
        let refused = try lines("/unsafe/plain/http://10.0.0.1/a.jpg")
        #expect(refused.isRefused && refused.told.last?.1.contains("allow-private-sources") == true)
        #expect(try lines("/unsafe/plain/http://localhost/a.jpg").isRefused)
        #expect(try !lines("/unsafe/plain/http://10.0.0.1/a.jpg", "--allow-private-sources").isRefused)
        let range = "--allow-private-sources=10.0.0.0/24"
        #expect(try !lines("/unsafe/plain/http://10.0.0.1/a.jpg", range).isRefused)
        #expect(try lines("/unsafe/plain/local:///a.jpg").isRefused)
    }
}
