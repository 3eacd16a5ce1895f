import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing

@Suite(.blocking) struct DiskSettingsTests {
    @Test func `the defaults are these`() {
        let settings = DiskSettings()
        #expect(settings.sizeLimit == nil)
        #expect(settings.countLimit == nil)
        #expect(settings.expiry == .afterWrite(.seconds(7 * 24 * 3600)))
        let configuration = DiskCache.Configuration()
        #expect(configuration.namespace == "default")
        #expect(configuration.settings == nil)
        #expect(configuration.durability == .processCrash)
        #expect(configuration.concurrencyMax == 4)
    }

    @Test func `the text is this and is read back`() {
        let settings = DiskSettings(sizeLimit: 5, countLimit: 7, expiry: .afterAccess(.milliseconds(1)))
        #expect(
            settings.text == "calotype-settings 1\nsizeLimit 5\ncountLimit 7\nexpiry afterAccess 1000000 ns\n"
        )
        for settings in [settings, DiskSettings(), DiskSettings(expiry: .never)] {
            #expect(DiskSettings(text: settings.text) == settings)
        }
    }

    @Test func `unknown lines are passed over`() {
        let settings = DiskSettings(text: "calotype-settings 1\npolicy gdsf\nsizeLimit 9\n")
        #expect(settings == DiskSettings(sizeLimit: 9))
    }

    @Test(arguments: [
        "", "sizeLimit 9\n", "calotype-settings 2\n", "calotype-settings 1\nsizeLimit -9\n",
        "calotype-settings 1\nsizeLimit x\n", "calotype-settings 1\nexpiry soon\n",
        "calotype-settings 1\nexpiry afterWrite 7 days\n",
        "calotype-settings 1\ncountLimit 99999999999999999999\n",
    ])
    func `what makes no sense is as good as nothing`(text: String) {
        #expect(DiskSettings(text: text) == nil)
    }

    @Test func `a cache opened without settings follows the directory's`() async throws {
        let fixture = try DiskFixture()
        let application = try await fixture.cache(DiskSettings(countLimit: 5, expiry: .never))
        try await application.close()
        let tool = try await fixture.cache(nil)
        for index in 0..<10 { try await tool.store(testBytes(10), forKey: "\(index)") }
        #expect(try await tool.usage().entryCount <= 5)
        fixture.clock.advance(by: .seconds(10_000_000))
        #expect(try await tool.contains("9"))
        let text = try String(
            contentsOfFile: fixture.scratch.path + "/cache/default/v1/settings",
            encoding: .utf8
        )
        #expect(DiskSettings(text: text) == DiskSettings(countLimit: 5, expiry: .never))
    }

    @Test func `a tool's small default never trims a large directory`() async throws {
        let fixture = try DiskFixture()
        let application = try await fixture.cache(DiskSettings(sizeLimit: 100_000, countLimit: 1000))
        for index in 0..<100 { try await application.store(testBytes(100), forKey: "\(index)") }
        try await application.close()
        let tool = try await fixture.cache(nil)
        try await tool.store(testBytes(100), forKey: "one more")
        try await tool.close()
        let again = try await fixture.cache(nil)
        #expect(try await again.usage().entryCount == 101)
    }

    @Test func `damaged settings are as good as none`() async throws {
        let fixture = try DiskFixture()
        _ = try await fixture.cache(DiskSettings(countLimit: 1))
        let file = URL(filePath: fixture.scratch.path + "/cache/default/v1/settings")
        try Data([0xff, 0xfe, 0]).write(to: file)
        let tool = try await fixture.cache(nil)
        for index in 0..<3 { try await tool.store(testBytes(10), forKey: "\(index)") }
        #expect(try await tool.usage().entryCount == 3)
    }
}
