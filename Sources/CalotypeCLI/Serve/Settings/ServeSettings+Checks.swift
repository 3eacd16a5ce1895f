import CalotypeLoading
import CalotypeServer

extension ServeSettings {
    /// Records settings that have no effect without another, or that contradict each other.
    static func check(
        _ reader: inout SettingReader,
        _ listeners: Listeners,
        _ sources: Sources,
        _ service: ImageService.Configuration
    ) {
        if reader.flag(.onlyPresets), reader.list(.presets).isEmpty {
            reader.refuse(.onlyPresets, "no preset is defined; set presets")
        }
        if reader.isGiven(.trustedSignatures), reader.text(.key).isEmpty {
            reader.refuse(.trustedSignatures, "no key is set, so every URL is served; set key and salt")
        }
        if reader.isGiven(.fallbackStatus), !reader.isGiven(.fallbackImage) {
            reader.refuse(.fallbackStatus, "no fallback image is set; set fallback-image, or remove it")
        }
        for setting in [ServeSetting.fallbackFor, ServeSetting.fallbackMaxAge]
        where reader.isGiven(setting) && !reader.isGiven(.fallbackImage) {
            reader.refuse(setting, "no fallback image is set; set fallback-image, or remove it")
        }
        if reader.isGiven(.widths), isSigned(service), service.nextImage == nil, service.cloudflare == nil {
            reader.warn(.widths, "URLs are signed, so that their widths are not rounded")
        }
        if reader.isGiven(.sourceMinAge), sources.minLifetime > sources.maxLifetime {
            reader.refuse(.sourceMinAge, "it is longer than source-max-age; lower it")
        }
        if reader.isGiven(.svg), reader.choice(.sandbox) == "off" {
            reader.refuse(.svg, "SVG needs the sandbox; set sandbox to on, or remove it")
        }
        if reader.isGiven(.workerMemory), reader.isGiven(.workersMemory),
            reader.bytes(.workerMemory) > reader.bytes(.workersMemory)
        {
            reader.refuse(.workerMemory, "it exceeds the limit of all processes; raise workers-memory")
        }
        if let admin = listeners.admin, admin.port != 0, admin == listeners.pictures {
            reader.refuse(.admin, "listen already uses \(admin); use another port, or off")
        }
        check(&reader, trusted: service.imgproxy?.signature.trusted ?? [])
        checkPlaces(&reader, sources, service)
        if let problem = watermarkProblem(sources, service) { reader.refuse(.watermarkURL, problem) }
    }

    /// Records a secret that can be guessed.
    ///
    /// - Parameters:
    ///   - reader: Collects mistakes and warnings.
    ///   - setting: The setting.
    ///   - count: The length of the secret in bytes; 0 for none.
    static func checkSecret(_ reader: inout SettingReader, _ setting: ServeSetting, _ count: Int) {
        guard count > 0 else { return }
        let remedy = "generate one with openssl rand -hex 32"
        if count < SettingText.minSecretByteCount {
            reader.refuse(setting, "a secret of \(count) bytes can be guessed; \(remedy)")
        } else if count < SettingText.secretByteCountAdvised {
            reader.warn(setting, "a secret of \(count) bytes is short; \(remedy)")
        }
    }

    private static func check(_ reader: inout SettingReader, trusted texts: Set<String>) {
        for text in texts where text.contains("/") {
            reader.refuse(.trustedSignatures, "a trusted signature is a single path segment; remove the /")
        }
    }

    /// Returns the reasons why no source can be in an allowed place.
    static func placeProblems(_ sources: Sources, _ service: ImageService.Configuration) -> [String] {
        let places = service.sources.patterns ?? []
        var problems: [String] = []
        for place in places where !place.isLocal && sources.addresses.refusesHost(place.hostText) {
            problems.append(
                "\(place.hostText) is not a public Internet address; add it to allow-private-sources"
            )
        }
        if places.contains(where: \.isLocal), sources.localRoot == nil {
            problems.append("local:/// has no folder; set local-root")
        }
        return problems
    }

    /// Records allowed places that no source can be in.
    private static func checkPlaces(
        _ reader: inout SettingReader,
        _ sources: Sources,
        _ service: ImageService.Configuration
    ) {
        for problem in placeProblems(sources, service) { reader.refuse(.allowedSources, problem) }
        let places = service.sources.patterns ?? []
        if !places.isEmpty, !places.contains(where: \.isLocal), sources.localRoot != nil {
            reader.warn(
                .localRoot,
                "no file is served; add local:/// to allowed-sources"
            )
        }
    }
}
