/// A mistake in a setting, with the remedy.
struct SettingMistake: Hashable, Sendable, CustomStringConvertible {
    /// The name of the setting, or of what was written in its place.
    let name: String
    /// The flag, variable or file that sets it.
    let origin: String
    /// The problem and the remedy.
    let detail: String

    var description: String { "\(name) (\(origin)): \(detail)" }
}

/// All mistakes in the settings of a service.
struct SettingMistakes: Error, Sendable {
    let mistakes: [SettingMistake]
}
