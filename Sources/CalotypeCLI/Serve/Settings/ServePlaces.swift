/// The places where a service is asked, whatever else is set.
///
/// A caller may lack other settings that the service was started with, such as its keys.
struct ServePlaces: Sendable {
    let pictures: ListenAddress
    /// `nil` where there is no admin listener.
    let admin: ListenAddress?
    let pathPrefix: String

    /// Reads them.
    ///
    /// - Throws: ``SettingMistakes`` with what is wrong with the three settings.
    init(_ layers: SettingLayers) throws(SettingMistakes) {
        var reader = SettingReader(layers)
        let listen = reader.address(.listen)
        if listen == nil { reader.refuse(.listen, "there is no service without an address") }
        let admin = reader.address(.admin)
        let prefix = reader.text(.pathPrefix)
        if let problem = SettingText.problem(pathPrefix: prefix) { reader.refuse(.pathPrefix, problem) }
        guard let pictures = listen, reader.mistakes.isEmpty else {
            throw SettingMistakes(mistakes: reader.mistakes)
        }
        (self.pictures, self.admin) = (pictures, admin)
        pathPrefix = SettingText.joined(pathPrefix: prefix)
    }
}

extension SettingsSource {
    /// Reads where a service is asked.
    ///
    /// - Parameters:
    ///   - listen: The address of pictures; else that of the environment or the file.
    ///   - environment: The environment.
    ///   - path: The file; else that of `CALOTYPE_CONFIG`.
    /// - Returns: The places.
    /// - Throws: ``SettingMistakes`` with what is wrong with them, or where the file is none of settings.
    static func places(
        listen: String?,
        _ environment: [String: String],
        file path: String?
    ) async throws(SettingMistakes) -> ServePlaces {
        // Other settings are the service's matter.
        var mistakes: [SettingMistake] = []
        let file = try await file(at: path, environment)
        let snapshot = file.flatMap { Self.snapshot(of: $0, &mistakes) }
        guard file == nil || snapshot != nil else { throw SettingMistakes(mistakes: mistakes) }
        let layers = SettingLayers(
            flags: listen.map { [ServeSetting.listen.name: $0] } ?? [:],
            environment: environment,
            imgproxy: ImgproxyVariables(environment).values,
            file: file.flatMap { file in snapshot.map { (file.path, $0) } }
        )
        return try ServePlaces(layers)
    }
}
