import CalotypeServer

/// The limits that error responses name, with their values.
struct NamedLimits: Sendable {
    /// Only limits: the other settings behind errors protect sources and URLs.
    private static let settings: [ServeSetting] = [
        .sourceBytes, .sourcePixels, .sourceFrames, .sourceTimeout, .sourceRedirects, .sourceConnections,
        .workTime, .timeout, .queue, .workerMemory, .workersMemory,
    ]

    private let limits: [ProblemSetting]

    init(_ settings: ServeSettings) {
        limits = settings.holding.filter { Self.settings.contains($0.setting) }.map { setting, text, _ in
            ProblemSetting(name: setting.name, value: text)
        }
    }

    /// Returns the limit that a response exceeded; `nil` for other errors.
    func limit(behind record: ServiceRecord) -> ProblemSetting? {
        // Limits on results are not settings.
        if record.errorCode == "limitExceeded", record.errorStep != "decode" { return nil }
        guard let setting = SettingNameTranslator.setting(for: record) else { return nil }
        return limits.first { $0.name == setting.name }
    }
}
