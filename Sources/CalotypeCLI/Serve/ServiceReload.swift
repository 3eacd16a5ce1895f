import Calotype
import CalotypeServer
import CalotypeSupport
import Logging

/// Takes settings over while a service runs: all of them, or none.
struct ServiceReload: Sendable {
    /// Reads the settings again, from where they came.
    typealias Reader = @Sendable () async throws(SettingMistakes) -> SettingsSource

    private let read: Reader?
    private let parts: ServiceParts
    private let listeners: ServeListeners
    private let logger: Logger

    /// - Parameters:
    ///   - read: Reads the settings again; `nil` where they cannot change.
    ///   - parts: The service.
    ///   - listeners: What answers its requests.
    ///   - logger: Is told how it went.
    init(_ read: Reader?, _ parts: ServiceParts, _ listeners: ServeListeners, _ logger: Logger) {
        (self.read, self.parts, self.listeners, self.logger) = (read, parts, listeners, logger)
    }

    /// Reloads at each SIGHUP, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - signals: The signals of the process that end nothing.
    ///   - running: The settings that hold at the beginning.
    func run(_ signals: AsyncStream<Int32>, _ running: ServeSettings) async {
        var running = running
        for await signal in signals {
            guard signal == SIGHUP, let read else {
                let remedy = read == nil ? "" : "SIGHUP reloads the settings, "
                logger.notice("signal \(signal) changes nothing; \(remedy)SIGTERM ends the service")
                continue
            }
            do throws(SettingMistakes) {
                let new = try await read()
                try await SettingFiles(new.settings).check()
                for warning in new.warnings { logger.warning("\(warning)") }
                running = try await change(running, to: new.settings)
                listeners.noteReload(isSuccessful: true)
            } catch {
                let detail = error.mistakes.map(\.description).joined(separator: "; ")
                let metadata: Logger.Metadata = ["detail": .string(SafeText.shortened(detail, to: 2_000))]
                logger.error("the settings are not reloaded; those from before hold", metadata: metadata)
                listeners.noteReload(isSuccessful: false)
            }
        }
    }

    /// Has the service answer by other settings.
    ///
    /// - Returns: The settings that hold afterwards: new ones where they can change, else the old ones.
    /// - Throws: ``SettingMistakes`` if they do not suit what stays as it is.
    private func change(
        _ old: ServeSettings,
        to new: ServeSettings
    ) async throws(SettingMistakes) -> ServeSettings {
        let changed = new.changes(since: old)
        let next = old.reloaded(from: new)
        try next.checkMixture()
        try await SettingFiles(next).check()
        let service: ImageService
        do {
            service = try await parts.service(with: next)
        } catch {
            let detail = ErrorText.describe(error)
            let mistake = SettingMistake(name: "fallback-image", origin: "reload", detail: detail)
            throw SettingMistakes(mistakes: [mistake])
        }
        parts.sources.change(to: next.service.sources)
        listeners.answer(by: service, next)
        let (taken, left) = (changed.filter(\.isReloadable), changed.filter { !$0.isReloadable })
        logger.notice("the settings are reloaded", metadata: ["changed": .string(Self.names(taken))])
        if !left.isEmpty {
            let metadata: Logger.Metadata = ["settings": .string(Self.names(left))]
            logger.warning("changed settings need a restart, and hold from then on", metadata: metadata)
        }
        return next
    }

    private static func names(_ settings: [ServeSetting]) -> String {
        settings.isEmpty ? "none" : settings.map(\.name).joined(separator: ",")
    }
}

/// The sources that are allowed at the moment.
final class CurrentSources: Sendable {
    private let state: Guarded<SourcePolicy>

    init(_ policy: SourcePolicy) {
        state = Guarded(policy)
    }

    var policy: SourcePolicy { state.withLock(\.self) }

    func change(to policy: SourcePolicy) { state.withLock { $0 = policy } }
}

extension ServeSetting {
    /// Settings that a running service takes over.
    static let reloadable = [
        adminToken, timeout, retryAfter, key, salt, signatureSize, trustedSignatures, thumborKey,
        allowUnsigned, allowedSources, baseURL, quality, formatQuality, autoFormats, keepCopyright, maxAge,
        followOrigin,
        avifBehind, fallbackImage, fallbackStatus, attachment, svg, presets, onlyPresets, allowedOptions,
        separator, base64FileName,
    ]

    /// Whether a running service takes it over.
    var isReloadable: Bool { Self.reloadable.contains(self) }
}

extension ServeSettings {
    /// The settings that have another value than before.
    func changes(since old: ServeSettings) -> [ServeSetting] {
        let before = Dictionary(uniqueKeysWithValues: old.holding.map { ($0.setting.name, $0.text) })
        return holding.filter { before[$0.setting.name] != $0.text }.map(\.setting)
    }

    /// These settings, with those of others that can change while a service runs.
    func reloaded(from new: ServeSettings) -> ServeSettings {
        var settings = self
        settings.allowsUnsigned = new.allowsUnsigned
        settings.listeners.adminToken = new.listeners.adminToken
        settings.fallback = new.fallback
        settings.service.take(from: new.service)
        // As the settings are read, with the folder that stays.
        let isOpen = settings.service.sources.places == nil
        settings.service.sources.includesLocalFiles = sources.localRoot != nil && isOpen
        settings.holding = zip(holding, new.holding).map { $0.setting.isReloadable ? $1 : $0 }
        return settings
    }

    /// Checks that what changes suits what stays: that what is listened on may be reached by those who reach
    /// it, and that sources can be where they are allowed.
    ///
    /// - Throws: ``SettingMistakes``.
    func checkMixture() throws(SettingMistakes) {
        var mistakes = Self.placeProblems(sources, service).map { problem in
            let detail = "\(problem), which needs a restart"
            return SettingMistake(name: "allowed-sources", origin: "reload", detail: detail)
        }
        if !isSigned, !allowsUnsigned, !listeners.pictures.isLoopback {
            let detail = "\(listeners.pictures) can be reached by others: set key and salt, or allow-unsigned"
            mistakes.append(SettingMistake(name: "key", origin: "reload", detail: detail))
        }
        if let admin = listeners.admin, !admin.isLoopback, listeners.adminToken.isEmpty {
            let detail = "\(admin) can be reached by others: set a token"
            mistakes.append(SettingMistake(name: "admin-token", origin: "reload", detail: detail))
        }
        guard mistakes.isEmpty else { throw SettingMistakes(mistakes: mistakes) }
    }
}

extension ImageService.Configuration {
    /// Takes over what can change while a service runs.
    mutating func take(from new: ImageService.Configuration) {
        (imgproxy, thumbor, sources) = (new.imgproxy, new.thumbor, new.sources)
        encodings.qualities = new.encodings.qualities
        encodings.keepsCopyright = new.encodings.keepsCopyright
        offers = new.offers
        caching.maxAge = new.caching.maxAge
        caching.followsOrigin = new.caching.followsOrigin
        makesAVIFBehind = new.makesAVIFBehind
        savesByDefault = new.savesByDefault
        passesSVGThrough = new.passesSVGThrough
        (timeout, retryAfter) = (new.timeout, new.retryAfter)
    }
}
