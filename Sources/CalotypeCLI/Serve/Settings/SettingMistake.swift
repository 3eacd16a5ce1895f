/// What is wrong with a setting, and what would be right.
struct SettingMistake: Hashable, Sendable, CustomStringConvertible {
    /// The setting, or what stands in its place.
    let name: String
    /// Where it is set.
    let origin: String
    /// What is wrong, and what would be right.
    let detail: String

    var description: String { "\(name) (\(origin)): \(detail)" }
}

/// All that is wrong with the settings of a service.
struct SettingMistakes: Error, Sendable {
    let mistakes: [SettingMistake]
}
