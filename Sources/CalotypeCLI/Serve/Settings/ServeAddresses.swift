/// The addresses of a running service.
///
/// They are read without the other settings of the service, such as its keys, which a caller may not have.
struct ServeAddresses: Sendable {
    let pictures: ListenAddress
    /// `nil` if there is no admin listener.
    let admin: ListenAddress?
    let pathPrefix: String

    /// Reads the addresses and the path prefix.
    ///
    /// - Throws: ``SettingMistakes`` with the mistakes in the three settings.
    init(_ layers: SettingLayers) throws(SettingMistakes) {
        var reader = SettingReader(layers)
        let listen = reader.address(.listen)
        if listen == nil { reader.refuse(.listen, "“off” is not allowed; use host:port") }
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
    /// Reads the addresses of a service.
    ///
    /// - Parameters:
    ///   - listen: The address for image requests; `nil` for that of the environment or the file.
    ///   - environment: The environment.
    ///   - path: The file; `nil` for the one that `CALOTYPE_CONFIG` names.
    /// - Returns: The addresses.
    /// - Throws: ``SettingMistakes`` if they are invalid, or the file is not a JSON object of settings.
    static func places(
        listen: String?,
        _ environment: [String: String],
        file path: String?
    ) async throws(SettingMistakes) -> ServeAddresses {
        // Mistakes in other settings are ignored.
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
        return try ServeAddresses(layers)
    }
}
