import CalotypeCore
import CalotypeHummingbird
import CalotypeLoading
import CalotypeServer

/// What is set of a service, checked.
struct ServeSettings: Sendable {
    /// Where a service listens; `nil` where it has been told `off`, which only the admin listener can be.
    struct Listeners: Sendable {
        var pictures: ListenAddress
        var admin: ListenAddress?
        var adminToken: String
        var pathPrefix: String
        var publicURL: String
        /// Whether other processes may listen on the ports too.
        var sharesPorts: Bool
        var limits: ListenerLimits
        var drainTimeout: Duration
    }

    /// Where originals come from.
    struct Sources: Sendable {
        /// The addresses that may be connected to.
        var addresses: AddressPolicy
        var localRoot: String?
        var timeout: Duration
        var lifetimeMin: Duration
        var lifetimeMax: Duration
        var redirectCountMax: Int
        var connectionCountMax: Int
        var userAgent: String
    }

    /// What is kept, and how much is done at once.
    struct Tiers: Sendable {
        var memoryByteCount: Int
        /// `nil` for no disk.
        var disk: Disk?
        var workCountMax: Int
        var workByteCountMax: Int
        var waitingCountMax: Int
    }

    /// Where codecs work.
    struct Sandbox: Sendable {
        var isOn: Bool
        var isBestEffort: Bool
        /// Bytes of memory of each process.
        var byteCountMax: Int
        /// Bytes of memory of all processes together.
        var allByteCountMax: Int
    }

    /// What is shown where a picture cannot be had.
    struct Fallback: Sendable {
        var path: String
        /// `nil` for that of the error.
        var status: Int?
    }

    /// The tier on disk.
    struct Disk: Sendable {
        /// `nil` for the user's cache folder.
        var directory: String?
        /// The most bytes of results.
        var byteCount: Int
        var originalByteCount: Int
        var expiry: Duration
        var trustsOtherUsers: Bool
    }

    var listeners: Listeners
    var sources: Sources
    var tiers: Tiers
    let sandbox: Sandbox
    var service: ImageService.Configuration
    var fallback: Fallback?
    /// Whether URLs without a signature are served also where others reach the service.
    var allowsUnsigned: Bool
    let logLevel: String
    let logsJSON: Bool
    /// Whether lines name the addresses of clients.
    let logsClients: Bool
    /// What holds, and where it came from, in the order of the table.
    var holding: [(setting: ServeSetting, text: String, origin: SettingLayers.Origin)]
    /// Settings that may be meant otherwise than they are taken, a line each.
    let warnings: [String]

    /// Whether URLs need a signature.
    var isSigned: Bool { Self.isSigned(service) }

    /// Reads settings.
    ///
    /// - Throws: ``SettingMistakes`` with all that is wrong.
    init(_ layers: SettingLayers) throws(SettingMistakes) {
        var reader = SettingReader(layers)
        listeners = Self.listeners(&reader)
        sources = Self.sources(&reader)
        tiers = Self.tiers(&reader)
        sandbox = Self.sandbox(&reader)
        service = Self.service(&reader, localRoot: sources.localRoot, readsAll: sandbox.isOn)
        fallback = Self.fallback(&reader)
        logLevel = reader.choice(.logLevel)
        logsJSON = reader.choice(.logFormat) == "json"
        logsClients = reader.flag(.logClient)
        allowsUnsigned = reader.flag(.allowUnsigned)
        if !Self.isSigned(service), !listeners.pictures.isLoopback, !allowsUnsigned {
            reader.refuse(
                .listen,
                "\(listeners.pictures) can be reached by others, and without a key anybody may have this "
                    + "service load and make pictures; set key and salt, or --allow-unsigned"
            )
        }
        if let admin = listeners.admin, !admin.isLoopback, listeners.adminToken.isEmpty {
            reader.refuse(
                .admin,
                "\(admin) can be reached by others: set admin-token, or listen on 127.0.0.1"
            )
        }
        Self.check(&reader, listeners, sources, service)
        guard reader.mistakes.isEmpty else { throw SettingMistakes(mistakes: reader.mistakes) }
        let places = Dictionary(
            uniqueKeysWithValues: ServeSetting.all.enumerated().map { ($0.element.name, $0.offset) }
        )
        warnings = reader.warnings
        holding = reader.holding.sorted { places[$0.setting.name] ?? 0 < places[$1.setting.name] ?? 0 }
    }
}

extension ServeSettings {
    private static func isSigned(_ service: ImageService.Configuration) -> Bool {
        (service.imgproxy?.signature.isRequired ?? true) && (service.thumbor?.signature.isRequired ?? true)
    }

    private static func listeners(_ reader: inout SettingReader) -> Listeners {
        var limits = ListenerLimits()
        limits.connectionCountMax = reader.count(.connections)
        limits.headTimeout = reader.duration(.headTimeout)
        limits.idleTimeout = reader.duration(.idleTimeout)
        limits.writeTimeout = reader.duration(.writeTimeout)
        let pictures = reader.address(.listen)
        if pictures == nil { reader.refuse(.listen, "there is no service without an address") }
        let token = reader.text(.adminToken)
        if token.contains(" ") || token.utf8.contains(where: { $0 < 33 || $0 > 126 }) {
            reader.refuse(.adminToken, "a token has no blanks and no characters that are not of ASCII")
        }
        checkSecret(&reader, .adminToken, token.utf8.count)
        let prefix = reader.text(.pathPrefix)
        if let problem = SettingText.problem(pathPrefix: prefix) { reader.refuse(.pathPrefix, problem) }
        let publicURL = reader.text(.publicURL)
        if let problem = SettingText.problem(publicURL: publicURL) { reader.refuse(.publicURL, problem) }
        return Listeners(
            pictures: pictures ?? .loopback,
            admin: reader.address(.admin),
            adminToken: token,
            pathPrefix: SettingText.joined(pathPrefix: prefix),
            publicURL: publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL,
            sharesPorts: reader.flag(.reusePort),
            limits: limits,
            drainTimeout: reader.duration(.drainTimeout)
        )
    }

    private static func sources(_ reader: inout SettingReader) -> Sources {
        let root = reader.text(.localRoot)
        let userAgent = reader.text(.userAgent)
        if !SettingText.isFieldValue(userAgent) {
            reader.refuse(.userAgent, "a header field has characters of ASCII alone")
        }
        let (lifetimeMin, lifetimeMax) = (reader.duration(.sourceMinAge), reader.duration(.sourceMaxAge))
        return Sources(
            addresses: reader.addresses(.allowPrivateSources),
            localRoot: root.isEmpty ? nil : root,
            timeout: reader.duration(.sourceTimeout),
            // The default gives way to a shorter maximum.
            lifetimeMin: reader.isGiven(.sourceMinAge) ? lifetimeMin : min(lifetimeMin, lifetimeMax),
            lifetimeMax: lifetimeMax,
            redirectCountMax: reader.count(.sourceRedirects),
            connectionCountMax: reader.count(.sourceConnections),
            userAgent: userAgent
        )
    }

    private static func sandbox(_ reader: inout SettingReader) -> Sandbox {
        let word = reader.choice(.sandbox)
        return Sandbox(
            isOn: word != "off",
            isBestEffort: word == "best-effort",
            byteCountMax: reader.bytes(.workerMemory),
            allByteCountMax: reader.bytes(.workersMemory)
        )
    }

    private static func fallback(_ reader: inout SettingReader) -> Fallback? {
        let path = reader.text(.fallbackImage)
        let status = reader.count(.fallbackStatus)
        if (1..<200).contains(status) {
            reader.refuse(.fallbackStatus, "an answer has a status of 200 to 599")
        }
        return path.isEmpty ? nil : Fallback(path: path, status: status == 0 ? nil : status)
    }

    private static func tiers(_ reader: inout SettingReader) -> Tiers {
        let directory = reader.text(.cacheDirectory)
        let disk = Disk(
            directory: directory.isEmpty ? nil : directory,
            byteCount: reader.bytes(.disk),
            originalByteCount: reader.bytes(.diskOriginals),
            expiry: reader.duration(.diskExpiry),
            trustsOtherUsers: reader.flag(.trustCacheDirectory)
        )
        return Tiers(
            memoryByteCount: reader.bytes(.memory),
            disk: directory == "none" ? nil : disk,
            workCountMax: reader.count(.work),
            workByteCountMax: reader.bytes(.workMemory),
            waitingCountMax: reader.count(.queue)
        )
    }
}
