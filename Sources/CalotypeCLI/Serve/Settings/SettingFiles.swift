import CalotypeCodecs
import CalotypeCore
import CalotypeServer
import CalotypeSupport
import Foundation

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
            + [await fallback, await watermark].compactMap(\.self)
            + (await originFiles)
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

    private var originFiles: [SettingMistake] {
        get async {
            let files = OriginFiles(settings)
            var mistakes: [SettingMistake] = []
            do throws(SettingMistakes) {
                _ = try await files.credentials()
            } catch {
                mistakes += error.mistakes
            }
            do throws(SettingMistakes) {
                _ = try await files.trustRoots()
            } catch {
                mistakes += error.mistakes
            }
            return mistakes
        }
    }

    private var fallback: SettingMistake? {
        get async {
            guard let path = settings.fallback?.path else { return nil }
            let limits = settings.service.limits
            return await mistake(.fallbackImage, ofImage: path, limits, reading: FallbackFile.read)
        }
    }

    private var watermark: SettingMistake? {
        get async {
            var limits = settings.service.limits
            limits.maxPixelCount = min(limits.maxPixelCount, WatermarkImage.maxPixelCount)
            guard let image = settings.service.watermark else { return nil }
            if let file = image.file {
                return await mistake(.watermarkPath, ofImage: file.path, limits) { path, limits in
                    try await FileBytes.read(path, limits: limits)
                }
            }
            return image.data.flatMap { mistake(.watermarkData, of: $0, "the image", limits) }
        }
    }

    /// Reads an image, and checks that its header can be decoded.
    private func mistake(
        _ setting: ServeSetting,
        ofImage path: String,
        _ limits: DecodeLimits,
        reading read: (String, DecodeLimits) async throws -> Data
    ) async -> SettingMistake? {
        let shown = "“\(SafeText.shortened(path))”"
        do {
            return mistake(setting, of: try await read(path, limits), shown, limits)
        } catch {
            return mistake(setting, "cannot use \(shown): \(ErrorText.describe(error))")
        }
    }

    private func mistake(
        _ setting: ServeSetting,
        of data: Data,
        _ shown: String,
        _ limits: DecodeLimits
    ) -> SettingMistake? {
        guard let format = ImageFormat(sniffing: data) else {
            return mistake(setting, "\(shown) is not an image in a supported format")
        }
        if format == .svg {
            let remedy = "\(shown) is an SVG, which needs the sandbox; set sandbox to on"
            return settings.sandbox.isOn ? nil : mistake(setting, remedy)
        }
        do {
            _ = try settings.service.encodings.codecs.info(of: data, limits: limits)
            return nil
        } catch {
            return mistake(setting, "cannot use \(shown): \(ErrorText.describe(error))")
        }
    }
}
