import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct DiskSettingsTests {
    @Test func `the defaults are pinned`() {
        let settings = DiskSettings()
        #expect(settings.sizeLimit == nil)
        #expect(settings.countLimit == nil)
        #expect(settings.expiry == .afterWrite(.seconds(7 * 24 * 3600)))
        let configuration = DiskCache.Configuration()
        #expect(configuration.namespace == "default")
        #expect(configuration.settings == nil)
        #expect(configuration.durability == .processCrash)
        #expect(configuration.maxConcurrency == 4)
    }

    @Test func `the text form is pinned and round-trips`() throws {
        let settings = DiskSettings(sizeLimit: 5, countLimit: 7, expiry: .afterAccess(.milliseconds(1)))
        #expect(
            settings.text()
                == "calotype-settings 1\nsizeLimit 5\ncountLimit 7\nexpiry afterAccess 1000000 ns\n"
        )
        for settings in [settings, DiskSettings(), DiskSettings(expiry: .never)] {
            #expect(try DiskSettings(text: settings.text()) == settings)
        }
    }

    @Test(arguments: [(0, 64 << 20), (1 << 30, (1 << 30) / 10), (1 << 40, 1 << 30)])
    func `the default limit is a tenth of the free space, within bounds`(free: Int, limit: Int) async throws {
        let fixture = try DiskFixture()
        fixture.files.pretendFree(free)
        let cache = try await fixture.cache(nil)
        _ = try await cache.usage()
        #expect(cache.sizeLimit == limit)
    }

    @Test func `the default limit evicts no existing entry when the directory is opened`() {
        var rules = DiskRules(sizeLimit: 1000, countLimit: .max, expiry: .never, pendingDefault: 10)
        rules.settleDefault(byteCount: 700)
        #expect(rules.sizeLimit == 700)
        rules.settleDefault(byteCount: 5)
        #expect(rules.sizeLimit == 700)
        var large = DiskRules(sizeLimit: 1000, countLimit: .max, expiry: .never, pendingDefault: 10)
        large.settleDefault(byteCount: 5000)
        #expect(large.sizeLimit == 1000)
        var set = DiskRules(sizeLimit: 100, countLimit: .max, expiry: .never)
        set.settleDefault(byteCount: 700)
        #expect(set.sizeLimit == 100)
    }

    @Test func `a disk filled by other programs does not empty the cache`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(nil)
        for index in 0..<20 { try await cache.store(testBytes(1000), forKey: "\(index)") }
        try await cache.close()
        fixture.files.pretendFree(0)
        let again = try await fixture.cache(nil)
        try await again.store(testBytes(1000), forKey: "one more")
        #expect(try await again.usage().entryCount == 21)
    }

    @Test func `unknown lines are ignored`() throws {
        let settings = try DiskSettings(text: "calotype-settings 1\npolicy gdsf\nsizeLimit 9\n")
        #expect(settings == DiskSettings(sizeLimit: 9))
    }

    @Test func `a known line with leading blanks is replaced, not duplicated`() throws {
        let text = "calotype-settings 1\n  sizeLimit 5\n later 1\n"
        let kept = DiskSettings.unknownLines(in: text)
        #expect(kept == [" later 1"])
        let settings = DiskSettings(sizeLimit: 7)
        #expect(try DiskSettings(text: settings.text(keeping: kept)) == settings)
    }

    @Test(arguments: [
        ("", 1), ("sizeLimit 9\n", 1), ("calotype-settings 2\n", 1),
        ("calotype-settings 1\nsizeLimit -9\n", 2), ("calotype-settings 1\nsizeLimit 5x\n", 2),
        ("calotype-settings 1\nsizeLimit\n", 2), ("calotype-settings 1\npolicy gdsf\nexpiry soon\n", 3),
        ("calotype-settings 1\n\nexpiry afterWrite 7 days\n", 3),
        ("calotype-settings 1\ncountLimit 99999999999999999999\n", 2),
    ])
    func `an invalid line is an error with its number`(text: String, lineNumber: Int) {
        #expect(throws: SettingsDamage(lineNumber: lineNumber)) { try DiskSettings(text: text) }
    }

    @Test func `settings of a later version survive when other settings are written`() async throws {
        let fixture = try DiskFixture()
        _ = try await fixture.cache(DiskSettings(countLimit: 1))
        let file = URL(filePath: fixture.scratch.path + "/cache/default/v1/settings")
        let text = "calotype-settings 1\npolicy gdsf\ncountLimit 1\nsizeLimits 7\n"
        try Data(text.utf8).write(to: file)
        let settings = DiskSettings(countLimit: 2, expiry: .never)
        _ = try await fixture.cache(settings)
        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(try DiskSettings(text: written) == settings)
        #expect(written.hasSuffix("\npolicy gdsf\nsizeLimits 7\n"))
    }

    @Test func `a cache opened without settings uses those of the directory`() async throws {
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
        #expect(try DiskSettings(text: text) == DiskSettings(countLimit: 5, expiry: .never))
    }

    @Test func `the small default of a tool never trims a large directory`() async throws {
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

    @Test(arguments: [[0xff, 0xfe, 0], Array("calotype-settings 1\nsizeLimit 5x\n".utf8)])
    func `damaged settings count as absent, and are reported`(bytes: [UInt8]) async throws {
        let fixture = try DiskFixture()
        // Closed, so that it does not enforce the limit of one entry below.
        try await fixture.cache(DiskSettings(countLimit: 1)).close()
        let file = URL(filePath: fixture.scratch.path + "/cache/default/v1/settings")
        try Data(bytes).write(to: file)
        let tool = try await fixture.cache(nil)
        for index in 0..<3 { try await tool.store(testBytes(10), forKey: "\(index)") }
        #expect(try await tool.usage().entryCount == 3)
        #expect(tool.openingError?.code == .damagedSettings)
        #expect(tool.openingError?.path == file.path)
        #expect(tool.statistics.maintenanceFailureCount == 1)
        let mended = try await fixture.cache(DiskSettings(countLimit: 1))
        #expect(mended.openingError == nil)
        #expect(try DiskSettings(text: String(contentsOf: file, encoding: .utf8)).countLimit == 1)
    }
}
