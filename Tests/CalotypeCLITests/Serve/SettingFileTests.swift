import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct SettingFileTests {
    private func told(_ arguments: [String]) async throws -> [String] {
        let settings = try SettingsSource(arguments, [:]).settings
        do throws(SettingMistakes) {
            try await SettingFiles(settings).check()
            return []
        } catch {
            return error.mistakes.map(\.description)
        }
    }

    @Test func `a missing folder is reported before the start`() async throws {
        let missing = try await told(["--local-root=/nowhere/at/all"])
        #expect(missing.count == 1 && missing[0].hasPrefix("local-root (flag): cannot open the folder"))
        #expect(try await told(["--local-root=\(#filePath)"]).first?.contains("is not a folder") == true)
        #expect(try await told(["--cache-dir=\(#filePath)"]).first?.contains("is not a folder") == true)
        #expect(try await told(["--local-root=/", "--cache-dir=/nowhere/at/all"]).isEmpty)
    }

    @Test func `a fallback that is not an image is reported before the start`() async throws {
        for path in ["/nowhere/at/all.png", #filePath, "/"] {
            let mistakes = try await told(["--fallback-image=\(path)"])
            #expect(mistakes.count == 1 && mistakes[0].hasPrefix("fallback-image (flag): "), "\(mistakes)")
        }
    }

    @Test func `a watermark that is not an image is reported before the start`() async throws {
        for path in ["/nowhere/at/all.png", #filePath, "/"] {
            let mistakes = try await told(["--watermark-path=\(path)"])
            #expect(mistakes.count == 1 && mistakes[0].hasPrefix("watermark-path (flag): "), "\(mistakes)")
        }
        let mistakes = try await told(["--watermark-data=iVBORw0KGgo="])
        #expect(mistakes.count == 1 && mistakes[0].hasPrefix("watermark-data (flag): "), "\(mistakes)")
    }

    @Test(arguments: [(0o600, false), (0o640, false), (0o644, true), (0o604, true), (0o400, false)])
    func `a world-readable file with keys causes a warning`(mode: Int, isWarned: Bool) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID()).json").path
        defer { unlink(path) }
        let text = #"{"key": "00112233445566778899aabbccddeeff", "salt": "aa"}"#
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, mode_t(mode))
        let source = try await SettingsSource.read([], [:], file: path)
        #expect(source.warnings.count == (isWarned ? 1 : 0), "\(source.warnings)")
        #expect(source.warnings.allSatisfy { $0.contains("key, salt") && $0.contains("chmod o=") })
        try Data(#"{"queue": 7}"#.utf8).write(to: URL(filePath: path))
        #expect(try await SettingsSource.read([], [:], file: path).warnings.isEmpty)
    }
}
