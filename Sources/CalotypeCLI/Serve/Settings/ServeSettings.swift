import CalotypeCore
import CalotypeHummingbird
import CalotypeLoading
import CalotypeServer

struct ServeSettings: Sendable {
    /// Addresses and limits of the listeners; only the admin listener can be `off` (`nil`).
    struct Listeners: Sendable {
        var pictures: ListenAddress
        var admin: ListenAddress?
        var adminToken: String
        var pathPrefix: String
        var publicURL: String
        /// Whether other processes may listen on the same ports.
        var sharesPorts: Bool
        var limits: ListenerLimits
        var drainTimeout: Duration
    }

    struct Sources: Sendable {
        /// The addresses that the service may connect to.
        var addresses: AddressPolicy
        var localRoot: String?
        var timeout: Duration
        var minLifetime: Duration
        var maxLifetime: Duration
        var maxRedirectCount: Int
        var maxConnectionCount: Int
        var userAgent: String
        /// The `Referer` of all requests; `nil` for none.
        var referer: String?
        /// The file of additional trusted certificates; `nil` for none.
        var trustRootsPath: String?
        var origins: [OriginDescription]
    }

    /// Sizes of the caches, and limits of concurrent work.
    struct Tiers: Sendable {
        var memoryByteCount: Int
        /// `nil` disables the disk cache.
        var disk: Disk?
        var maxWorkCount: Int
        var maxWorkByteCount: Int
        var maxWaitingCount: Int
    }

    struct Sandbox: Sendable {
        var isOn: Bool
        var isBestEffort: Bool
        /// The memory limit of each process, in bytes.
        var maxByteCount: Int
        /// The memory limit of all processes together, in bytes.
        var maxAllByteCount: Int
    }

    /// The image served in place of one that fails.
    struct Fallback: Sendable {
        var path: String
        /// The status, or `nil` for that of the error.
        var status: Int?
        /// The statuses of errors that it replaces; `nil` for all but 503.
        var statuses: Set<Int>?
        /// The lifetime in caches; `nil` for none.
        var maxAge: Duration?
    }

    struct Disk: Sendable {
        /// The folder, or `nil` for the user's cache folder.
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
    /// Whether unsigned URLs are served also on an address reachable from other machines.
    var allowsUnsigned: Bool
    let logLevel: String
    let logsJSON: Bool
    /// Whether log lines contain client addresses.
    let logsClients: Bool
    /// The effective values with their origins, in the order of the table.
    var holding: [(setting: ServeSetting, text: String, origin: SettingLayers.Origin)]
    /// Warnings about values that are allowed but probably unintended, one line each.
    let warnings: [String]

    /// Whether URLs need a signature.
    var isSigned: Bool { Self.isSigned(service) }

    /// Reads settings.
    ///
    /// - Throws: ``SettingMistakes`` with all mistakes.
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
                "\(listeners.pictures) is reachable from other machines, and without a key any client can "
                    + "have this service load and process images; set key and salt, or --allow-unsigned"
            )
        }
        if let admin = listeners.admin, !admin.isLoopback, listeners.adminToken.isEmpty {
            reader.refuse(
                .admin,
                "\(admin) is reachable from other machines; set admin-token, or use 127.0.0.1"
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
    static func isSigned(_ service: ImageService.Configuration) -> Bool {
        (service.imgproxy?.signature.isRequired ?? true) && (service.thumbor?.signature.isRequired ?? true)
    }

    private static func listeners(_ reader: inout SettingReader) -> Listeners {
        var limits = ListenerLimits()
        limits.maxConnectionCount = reader.count(.connections)
        limits.headerTimeout = reader.duration(.headerTimeout)
        limits.idleTimeout = reader.duration(.idleTimeout)
        limits.writeTimeout = reader.duration(.writeTimeout)
        limits.uploadTimeout = reader.flag(.uploads) ? reader.duration(.uploadTimeout) : nil
        let pictures = reader.address(.listen)
        if pictures == nil { reader.refuse(.listen, "“off” is not allowed; use host:port") }
        let token = reader.text(.adminToken)
        if token.contains(" ") || token.utf8.contains(where: { $0 < 33 || $0 > 126 }) {
            reader.refuse(.adminToken, "it has a blank or a non-ASCII character; use visible ASCII")
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
            reader.refuse(.userAgent, "it has a non-ASCII character; use ASCII characters")
        }
        let (referer, trustRootsPath) = (reader.text(.referer), reader.text(.sourceCAFile))
        if !SettingText.isFieldValue(referer) {
            reader.refuse(.referer, "it has a non-ASCII character; use ASCII characters")
        }
        let (minLifetime, maxLifetime) = (reader.duration(.sourceMinAge), reader.duration(.sourceMaxAge))
        return Sources(
            addresses: reader.addresses(.allowPrivateSources),
            localRoot: root.isEmpty ? nil : root,
            timeout: reader.duration(.sourceTimeout),
            // The default minimum yields to a shorter maximum.
            minLifetime: reader.isGiven(.sourceMinAge) ? minLifetime : min(minLifetime, maxLifetime),
            maxLifetime: maxLifetime,
            maxRedirectCount: reader.count(.sourceRedirects),
            maxConnectionCount: reader.count(.sourceConnections),
            userAgent: userAgent,
            referer: referer.isEmpty ? nil : referer,
            trustRootsPath: trustRootsPath.isEmpty ? nil : trustRootsPath,
            origins: origins(&reader)
        )
    }

    private static func sandbox(_ reader: inout SettingReader) -> Sandbox {
        let word = reader.choice(.sandbox)
        return Sandbox(
            isOn: word != "off",
            isBestEffort: word == "best-effort",
            maxByteCount: reader.bytes(.workerMemory),
            maxAllByteCount: reader.bytes(.workersMemory)
        )
    }

    private static func fallback(_ reader: inout SettingReader) -> Fallback? {
        let path = reader.text(.fallbackImage)
        let status = reader.count(.fallbackStatus)
        if (1..<200).contains(status) {
            reader.refuse(.fallbackStatus, "the status must be 0 or 200…599")
        }
        let (statuses, maxAge) = (fallbackStatuses(&reader), reader.duration(.fallbackMaxAge))
        guard !path.isEmpty else { return nil }
        var fallback = Fallback(path: path, status: status == 0 ? nil : status)
        (fallback.statuses, fallback.maxAge) = (statuses, maxAge == .zero ? nil : maxAge)
        return fallback
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
            maxWorkCount: reader.count(.work),
            maxWorkByteCount: reader.bytes(.workMemory),
            maxWaitingCount: reader.count(.queue)
        )
    }
}
