import CalotypeCodecs
import CalotypeCore
import CalotypeServer
import CalotypeSupport

/// Checks of the files and folders that settings name.
struct SettingFiles {
    private let settings: ServeSettings

    init(_ settings: ServeSettings) {
        self.settings = settings
    }

    /// Checks that they exist and have the required type and permissions.
    ///
    /// - Throws: ``SettingMistakes`` with all mistakes.
    func check() async throws(SettingMistakes) {
        let mistakes =
            [localRoot, cacheDirectory].compactMap(\.self)
            + [await fallback].compactMap(\.self)
        guard mistakes.isEmpty else { throw SettingMistakes(mistakes: mistakes) }
    }

    private func mistake(_ setting: ServeSetting, _ detail: String) -> SettingMistake {
        let origin = settings.holding.first { $0.setting == setting }?.origin ?? .standard
        return SettingMistake(name: setting.name, origin: origin.text, detail: detail)
    }

    private var localRoot: SettingMistake? {
        guard let path = settings.sources.localRoot else { return nil }
        let shown = "“\(SafeText.shortened(path))”"
        guard let status = FileStatus(at: path) else {
            return mistake(.localRoot, "cannot open the folder \(shown): \(SystemError.text(errno))")
        }
        guard status.kind == .folder else { return mistake(.localRoot, "\(shown) is not a folder") }
        guard path.withPathBytes({ access($0, R_OK | X_OK) }) == 0 else {
            return mistake(.localRoot, "this user cannot read \(shown): \(SystemError.text(errno))")
        }
        return nil
    }

    /// A missing folder is not a mistake: it is created later.
    private var cacheDirectory: SettingMistake? {
        guard let path = settings.tiers.disk?.directory, let status = FileStatus(at: path) else { return nil }
        let shown = "“\(SafeText.shortened(path))”"
        guard status.kind == .folder else { return mistake(.cacheDirectory, "\(shown) is not a folder") }
        guard path.withPathBytes({ access($0, W_OK | X_OK) }) == 0 else {
            return mistake(.cacheDirectory, "this user cannot write to \(shown)")
        }
        return nil
    }

    private var fallback: SettingMistake? {
        get async {
            guard let path = settings.fallback?.path else { return nil }
            let shown = "“\(SafeText.shortened(path))”"
            do {
                let data = try await FallbackFile.read(path, limits: settings.service.limits)
                guard let format = ImageFormat(sniffing: data) else {
                    return mistake(.fallbackImage, "\(shown) is not an image in a supported format")
                }
                if format == .svg {
                    let remedy = "\(shown) is an SVG, which needs the sandbox; set sandbox to on"
                    return settings.sandbox.isOn ? nil : mistake(.fallbackImage, remedy)
                }
                _ = try settings.service.encodings.codecs.info(of: data, limits: settings.service.limits)
                return nil
            } catch {
                let reason = ErrorText.describe(error)
                return mistake(.fallbackImage, "cannot use \(shown): \(reason)")
            }
        }
    }
}
