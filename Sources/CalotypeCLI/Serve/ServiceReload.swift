import Calotype
import CalotypeLoading
import CalotypeServer
import CalotypeSupport
import Logging

/// Applies changed settings to a running service: all of them, or none.
struct ServiceReload: Sendable {
    /// A function that reads the settings again from their sources.
    typealias Reader = @Sendable () async throws(SettingMistakes) -> SettingsSource

    private let read: Reader?
    private let parts: ServiceParts
    private let listeners: ServeListeners
    private let logger: Logger

    /// - Parameters:
    ///   - read: Reads the settings again; `nil` if they cannot be reloaded.
    ///   - parts: The service and its parts.
    ///   - listeners: The listeners to update.
    ///   - logger: Receives the outcome.
    init(_ read: Reader?, _ parts: ServiceParts, _ listeners: ServeListeners, _ logger: Logger) {
        (self.read, self.parts, self.listeners, self.logger) = (read, parts, listeners, logger)
    }

    /// Reloads on each SIGHUP, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - signals: The signals of the process that do not stop it.
    ///   - running: The settings at the start.
    func run(_ signals: AsyncStream<Int32>, _ running: ServeSettings) async {
        var running = running
        for await signal in signals {
            guard signal == SIGHUP, let read else {
                let remedy = read == nil ? "" : "SIGHUP reloads the settings, "
                logger.notice("signal \(signal) is ignored; \(remedy)SIGTERM stops the service")
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
                logger.error("the settings are not reloaded; the old ones stay in effect", metadata: metadata)
                listeners.noteReload(isSuccessful: false)
            }
        }
    }

    /// Applies the reloadable settings.
    ///
    /// - Returns: The settings in effect afterwards: new values for reloadable ones, old values for the
    ///   others.
    /// - Throws: ``SettingMistakes`` if new values conflict with settings that did not change.
    private func change(
        _ old: ServeSettings,
        to new: ServeSettings
    ) async throws(SettingMistakes) -> ServeSettings {
        let changed = new.changes(since: old)
        let next = old.reloaded(from: new)
        try next.checkMixture()
        try await SettingFiles(next).check()
        let origins = try await OriginFiles(next).credentials()
        let service: ImageService
        do {
            service = try await parts.service(with: next)
        } catch {
            let detail = ErrorText.describe(error)
            let mistake = SettingMistake(name: "fallback-image", origin: "reload", detail: detail)
            throw SettingMistakes(mistakes: [mistake])
        }
        let haveOriginsChanged: Bool
        do throws(FetchError) {
            haveOriginsChanged = try parts.origins.replace(with: origins)
        } catch {
            let mistake = SettingMistake(name: "origins", origin: "reload", detail: error.detail)
            throw SettingMistakes(mistakes: [mistake])
        }
        parts.sources.change(to: next.service.sources)
        listeners.answer(by: service, next)
        var (taken, left) = (changed.filter(\.isReloadable), changed.filter { !$0.isReloadable })
        // A file of a secret may have changed under the same path.
        if haveOriginsChanged, !taken.contains(.origins) { taken.append(.origins) }
        logger.notice("the settings are reloaded", metadata: ["changed": .string(Self.names(taken))])
        if !left.isEmpty {
            let metadata: Logger.Metadata = ["settings": .string(Self.names(left))]
            logger.warning("changed settings take effect after a restart", metadata: metadata)
        }
        return next
    }

    private static func names(_ settings: [ServeSetting]) -> String {
        settings.isEmpty ? "none" : settings.map(\.name).joined(separator: ",")
    }
}

final class CurrentSources: Sendable {
    private let state: Guarded<SourcePolicy>

    init(_ policy: SourcePolicy) {
        state = Guarded(policy)
    }

    var policy: SourcePolicy { state.withLock(\.self) }

    func change(to policy: SourcePolicy) { state.withLock { $0 = policy } }
}

extension ServeSetting {
    /// Settings that a running service applies on SIGHUP.
    static let reloadable = [
        adminToken, timeout, retryAfter, key, salt, signatureSize, trustedSignatures, thumborKey,
        allowUnsigned, allowedSources, baseURL, quality, formatQuality, autoFormats, keepCopyright,
        stripMetadata, stripColorProfile, light, maxAge, followOrigin,
        avifBehind, fallbackImage, fallbackStatus, attachment, infoLocation, svg, presets, onlyPresets,
        allowedOptions, separator, base64FileName, watermarkData, watermarkPath, watermarkURL,
        watermarkOpacity, origins,
        jpegProgressive, pngInterlaced, pngQuantize, pngColors, webPEffort, webPPreset, avifSpeed, jxlEffort,
        preserveHDR, keepSmallerOriginal, damagedImages,
        nextImage, nextQualities, cloudflare, siteURL, widths, clientHints, allowOrigin, fallbackFor,
        fallbackMaxAge, uploadToken,
    ]

    /// Whether a running service applies it on SIGHUP.
    var isReloadable: Bool { Self.reloadable.contains(self) }
}

extension ServeSettings {
    /// Returns the settings whose values differ.
    func changes(since old: ServeSettings) -> [ServeSetting] {
        let before = Dictionary(uniqueKeysWithValues: old.holding.map { ($0.setting.name, $0.text) })
        return holding.filter { before[$0.setting.name] != $0.text }.map(\.setting)
    }

    /// Returns these settings, with the reloadable values of others.
    func reloaded(from new: ServeSettings) -> ServeSettings {
        var settings = self
        settings.allowsUnsigned = new.allowsUnsigned
        settings.listeners.adminToken = new.listeners.adminToken
        settings.fallback = new.fallback
        settings.sources.origins = new.sources.origins
        settings.service.take(from: new.service)
        // As when settings are read, but with the current folder.
        let isOpen = settings.service.sources.patterns == nil
        settings.service.sources.includesLocalFiles = sources.localRoot != nil && isOpen
        settings.holding = zip(holding, new.holding).map { $0.setting.isReloadable ? $1 : $0 }
        return settings
    }

    /// Checks that the new values suit those that did not change: the key of the listen address, and the
    /// reachability of allowed sources.
    func checkMixture() throws(SettingMistakes) {
        var mistakes = Self.placeProblems(sources, service).map { problem in
            let detail = "\(problem), which needs a restart"
            return SettingMistake(name: "allowed-sources", origin: "reload", detail: detail)
        }
        if let problem = Self.watermarkProblem(sources, service) {
            let detail = "\(problem), which needs a restart"
            mistakes.append(SettingMistake(name: "watermark-url", origin: "reload", detail: detail))
        }
        if !isSigned, !allowsUnsigned, !listeners.pictures.isLoopback {
            let detail =
                "\(listeners.pictures) is reachable from other machines; set key and salt, or allow-unsigned"
            mistakes.append(SettingMistake(name: "key", origin: "reload", detail: detail))
        }
        if let admin = listeners.admin, !admin.isLoopback, listeners.adminToken.isEmpty {
            let detail = "\(admin) is reachable from other machines; set a token"
            mistakes.append(SettingMistake(name: "admin-token", origin: "reload", detail: detail))
        }
        guard mistakes.isEmpty else { throw SettingMistakes(mistakes: mistakes) }
    }
}

extension ImageService.Configuration {
    /// Applies the reloadable settings.
    mutating func take(from new: ImageService.Configuration) {
        (imgproxy, thumbor, sources) = (new.imgproxy, new.thumbor, new.sources)
        encodings.qualities = new.encodings.qualities
        encodings.keepsCopyright = new.encodings.keepsCopyright
        encodings.stripsMetadata = new.encodings.stripsMetadata
        encodings.stripsColorProfile = new.encodings.stripsColorProfile
        (encodings.encoders, encodings.nativeEfforts) = (new.encodings.encoders, new.encodings.nativeEfforts)
        encodings.keepsDepth = new.encodings.keepsDepth
        encodings.keepsSmallerOriginals = new.encodings.keepsSmallerOriginals
        showsDamagedOriginals = new.showsDamagedOriginals
        (offers, light) = (new.offers, new.light)
        caching.maxAge = new.caching.maxAge
        caching.followsOrigin = new.caching.followsOrigin
        encodesAVIFInBackground = new.encodesAVIFInBackground
        isAttachmentByDefault = new.isAttachmentByDefault
        passesSVGThrough = new.passesSVGThrough
        describesLocation = new.describesLocation
        (watermark, watermarkOpacity) = (new.watermark, new.watermarkOpacity)
        (nextImage, cloudflare) = (new.nextImage, new.cloudflare)
        (usesClientHints, crossOrigin) = (new.usesClientHints, new.crossOrigin)
        uploads?.token = new.uploads?.token
        (timeout, retryAfter) = (new.timeout, new.retryAfter)
    }
}
