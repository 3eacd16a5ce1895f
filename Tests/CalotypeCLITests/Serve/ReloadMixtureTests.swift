import CalotypeServer
import TestSupport
import Testing

@testable import CalotypeCLI

/// Reloaded settings beside those that apply until a restart.
@Suite(.gated) struct ReloadMixtureTests {
    private func reloaded(_ old: [String], _ new: [String]) throws -> ServeSettings {
        let old = try SettingsSource(old, [:]).settings
        return old.reloaded(from: try SettingsSource(new, [:]).settings)
    }

    @Test(arguments: [
        ["--local-root=/srv", "--allowed-sources=local:///a"],
        ["--allow-private-sources", "--allowed-sources=10.0.0.1"],
        ["--allow-private-sources", "--watermark-url=http://10.0.0.1/a.png"],
        ["--local-root=/srv", "--watermark-url=local:///a.png"],
    ])
    func `a source that depends on a setting of the next start is rejected`(new: [String]) throws {
        let settings = try reloaded([], new)
        #expect(throws: SettingMistakes.self) { try settings.checkMixture() }
        try reloaded(new, new).checkMixture()
    }

    @Test func `local files remain a source while their folder is unchanged`() throws {
        #expect(try !reloaded([], ["--local-root=/srv"]).service.sources.includesLocalFiles)
        #expect(try reloaded(["--local-root=/srv"], []).service.sources.includesLocalFiles)
        let named = ["--allowed-sources=a.test"]
        #expect(try !reloaded(["--local-root=/srv"], named).service.sources.includesLocalFiles)
    }
}
