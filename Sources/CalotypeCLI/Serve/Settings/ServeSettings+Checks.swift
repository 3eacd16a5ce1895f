import CalotypeLoading
import CalotypeServer

/// Checks of settings that depend on one another.
extension ServeSettings {
    /// Notes settings that do nothing without another, or that contradict each other.
    static func check(
        _ reader: inout SettingReader,
        _ listeners: Listeners,
        _ sources: Sources,
        _ service: ImageService.Configuration
    ) {
        if reader.flag(.onlyPresets), reader.list(.presets).isEmpty {
            reader.refuse(.onlyPresets, "there is no preset that URLs could name: set presets")
        }
        if reader.isGiven(.trustedSignatures), reader.text(.key).isEmpty {
            reader.refuse(.trustedSignatures, "without a key every URL is served: set key and salt")
        }
        if reader.isGiven(.fallbackStatus), !reader.isGiven(.fallbackImage) {
            reader.refuse(.fallbackStatus, "there is no fallback: set fallback-image, or leave it out")
        }
        if reader.isGiven(.sourceMinAge), sources.lifetimeMin > sources.lifetimeMax {
            reader.refuse(.sourceMinAge, "it is longer than source-max-age, which is the most")
        }
        if reader.isGiven(.svg), reader.choice(.sandbox) == "off" {
            reader.refuse(.svg, "SVG needs the sandbox: set sandbox to on, or leave it out")
        }
        if reader.isGiven(.workerMemory), reader.isGiven(.workersMemory),
            reader.bytes(.workerMemory) > reader.bytes(.workersMemory)
        {
            reader.refuse(.workerMemory, "one process may have no more than all: raise workers-memory")
        }
        if let admin = listeners.admin, admin.port != 0, admin == listeners.pictures {
            reader.refuse(.admin, "pictures are on \(admin) already: choose another port, or off")
        }
        check(&reader, trusted: service.imgproxy?.signature.trusted ?? [])
        checkPlaces(&reader, sources, service)
    }

    /// Notes a secret that can be guessed.
    ///
    /// - Parameters:
    ///   - reader: Where mistakes and warnings go.
    ///   - setting: The setting.
    ///   - count: The bytes of the secret; 0 for none.
    static func checkSecret(_ reader: inout SettingReader, _ setting: ServeSetting, _ count: Int) {
        guard count > 0 else { return }
        let remedy = "make one with openssl rand -hex 32"
        if count < SettingText.secretByteCountMin {
            reader.refuse(setting, "a secret of \(count) bytes can be guessed: \(remedy)")
        } else if count < SettingText.secretByteCountAdvised {
            reader.warn(setting, "a secret of \(count) bytes is short: \(remedy)")
        }
    }

    private static func check(_ reader: inout SettingReader, trusted texts: Set<String>) {
        for text in texts where text.contains("/") {
            reader.refuse(.trustedSignatures, "a signature is one part of a path, without /")
        }
    }

    /// The reasons why no source can be in places that are allowed.
    static func placeProblems(_ sources: Sources, _ service: ImageService.Configuration) -> [String] {
        let places = service.sources.places ?? []
        var problems: [String] = []
        for place in places where !place.isLocal && sources.addresses.refusesHost(place.hostText) {
            problems.append(
                "\(place.hostText) is no address of the public Internet: name it in allow-private-sources too"
            )
        }
        if places.contains(where: \.isLocal), sources.localRoot == nil {
            problems.append("there is no folder for files: set local-root")
        }
        return problems
    }

    /// Notes places that no source can be in.
    private static func checkPlaces(
        _ reader: inout SettingReader,
        _ sources: Sources,
        _ service: ImageService.Configuration
    ) {
        for problem in placeProblems(sources, service) { reader.refuse(.allowedSources, problem) }
        let places = service.sources.places ?? []
        if !places.isEmpty, !places.contains(where: \.isLocal), sources.localRoot != nil {
            reader.warn(
                .localRoot,
                "no file is served, since allowed-sources names none: add local:///"
            )
        }
    }
}
