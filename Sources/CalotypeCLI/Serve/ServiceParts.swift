import Calotype
import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeHummingbird
import CalotypeLoading
import CalotypeSandbox
import CalotypeServer
import CalotypeSupport

/// A service with what it stands on, as settings have it.
struct ServiceParts: Sendable {
    /// Decoded pictures are a step on the way; few of them are asked for again.
    private static let decodedByteCountMax = 16 << 20
    private static let adminConnectionCountMax = 64
    /// What is kept is answered while pictures are made.
    private static let decodeNiceness = 10

    let service: ImageService
    let statistics: ServiceStatistics
    let watch: PipelineWatch
    /// Where the tier on disk is; `nil` for none.
    let folder: String?
    /// Where codecs work; `nil` for this process.
    let workers: CodecWorkers?
    /// The sources that redirects may lead to.
    let sources: CurrentSources
    private let configuration: ImageService.Configuration
    /// How far codecs are locked in; `nil` where they work in this process.
    var lockedText: String? { workers?.lockedText }

    /// What pictures miss where the system does not lock codecs in as it should, a line each.
    var warnings: [String] {
        workers.map { Self.warnings($0.warnings, isLockedIn: $0.isLockedIn) } ?? []
    }

    /// The descriptors that the settings ask for.
    static func wanted(_ settings: ServeSettings) -> DescriptorBudget.Wanted {
        DescriptorBudget.Wanted(
            connectionCount: settings.listeners.limits.connectionCountMax,
            adminConnectionCount: settings.listeners.admin == nil ? 0 : adminConnectionCountMax,
            // A few origins that hang are to leave room for others.
            fetchCount: max(256, 4 * settings.sources.connectionCountMax),
            workerCount: width,
            workerKindCount: settings.sandbox.isOn ? CodecWorkers.Configuration.kindCount : 0
        )
    }

    static func warnings(_ told: [String], isLockedIn: Bool) -> [String] {
        let formats = "JPEG XL is neither read nor made, since codecs are not locked in"
        return told + (isLockedIn ? [] : [formats])
    }

    /// Opens the caches.
    ///
    /// - Parameters:
    ///   - settings: What is set.
    ///   - descriptors: How many descriptors each part may have open.
    ///   - observer: Is told each answer, after it has been counted.
    ///   - watch: Is told what the pipeline does.
    ///   - workerFailure: Is told of each codec worker that does not start.
    /// - Returns: The service.
    /// - Throws: ``CalotypeCache/DiskCacheError`` where the folder of the cache cannot be used, and
    ///   ``CalotypeSandbox/SandboxError`` where codecs cannot be locked in as the settings want it.
    static func open(
        _ settings: ServeSettings,
        _ descriptors: DescriptorBudget,
        observer: any ServiceObserver,
        watch: PipelineWatch = PipelineWatch(),
        workerFailure: @escaping @Sendable (SandboxError) -> Void
    ) async throws -> ServiceParts {
        let disk = try await disk(settings.tiers.disk)
        let workers = try await workers(settings, descriptors, workerFailure)
        let codecs = codecs(workers)
        let sources = CurrentSources(settings.service.sources)
        let cache = ImageCache(
            memory: ImageCache.Memory(costLimit: decodedByteCountMax),
            stores: disk.map { [$0.store] } ?? [],
            codecs: codecs,
            decodeConcurrencyMax: width,
            decodeNiceness: Self.decodeNiceness
        )
        var pipeline = ImagePipeline.Configuration(
            cache: cache,
            loader: try loader(settings, descriptors, sources)
        )
        pipeline.observers = [watch]
        pipeline.originalTimeout = settings.sources.timeout
        pipeline.encodedCostLimit = settings.tiers.memoryByteCount
        pipeline.staleAllowance = StaleAllowance(
            whileRevalidating: settings.service.caching.staleWhileRevalidate,
            ifError: settings.service.caching.staleIfError,
            minimumLifetime: settings.sources.lifetimeMin,
            maximumLifetime: settings.sources.lifetimeMax
        )
        let tiers: Set<StatisticsSnapshot.Tier> = disk == nil ? [.memory] : [.memory, .disk]
        let statistics = ServiceStatistics(tiers: tiers, then: observer)
        var configuration = settings.service
        configuration.observer = OperatorWords(then: statistics)
        configuration.encodings.codecs = codecs
        configuration.fallback = try await fallback(settings)
        let service = ImageService(
            pipeline: ImageService.pipeline(
                pipeline,
                workCountMax: settings.tiers.workCountMax,
                waitingCountMax: settings.tiers.waitingCountMax,
                workByteCountMax: settings.tiers.workByteCountMax
            ),
            configuration: configuration
        )
        return ServiceParts(
            service: service,
            statistics: statistics,
            watch: watch,
            folder: disk?.folder,
            workers: workers,
            sources: sources,
            configuration: configuration
        )
    }

    /// The service with other settings, on the same pipeline: those that can change while it runs.
    ///
    /// - Throws: ``CalotypeLoading/FetchError`` if the fallback cannot be read.
    func service(with settings: ServeSettings) async throws -> ImageService {
        var configuration = configuration
        configuration.take(from: settings.service)
        configuration.fallback = try await Self.fallback(settings)
        return ImageService(pipeline: service.pipeline, configuration: configuration)
    }

    private static func fallback(_ settings: ServeSettings) async throws -> FallbackPicture? {
        guard let fallback = settings.fallback else { return nil }
        let data = try await FileBytes.read(fallback.path, limits: settings.service.limits)
        return FallbackPicture(data: data, status: fallback.status)
    }

    /// All codecs where they are locked in, and those that limits bound (decision 0117) where they are not.
    static func codecs(_ workers: CodecWorkers?) -> CodecRegistry {
        guard let workers else { return .publicWeb }
        return workers.codecs(workers.isLockedIn ? .standard : .publicWeb)
    }

    /// A thread for each core, and one for small work beside large (decision 0300).
    private static let width = BlockingPool.coreCount + 1

    private static func workers(
        _ settings: ServeSettings,
        _ descriptors: DescriptorBudget,
        _ workerFailure: @escaping @Sendable (SandboxError) -> Void
    ) async throws -> CodecWorkers? {
        guard settings.sandbox.isOn else { return nil }
        return try await SandboxOptions.workers { configuration in
            configuration.countMax = descriptors.workerCount
            configuration.isBestEffort = settings.sandbox.isBestEffort
            configuration.memoryByteCountMax = settings.sandbox.byteCountMax
            configuration.allMemoryByteCountMax = settings.sandbox.allByteCountMax
            configuration.startFailureHandler = workerFailure
            configuration.encodeDurationMax = settings.service.limits.durationMax
            configuration.transformDurationMax = settings.service.limits.durationMax
        }
    }

    /// The tier on disk, with a limit for originals and one for results: neither drives the other out.
    private static func disk(
        _ settings: ServeSettings.Disk?
    ) async throws -> (store: RoutedByteStore, folder: String)? {
        guard let settings else { return nil }
        let originals = try await cache(settings, "service-originals", settings.originalByteCount)
        let results = try await cache(settings, "service-results", settings.byteCount)
        return (
            RoutedByteStore(originals: originals, variants: results), try results.configuration.layout().base
        )
    }

    private static func cache(
        _ settings: ServeSettings.Disk,
        _ namespace: String,
        _ byteCount: Int
    ) async throws -> DiskCache {
        var configuration = DiskCache.Configuration(
            root: settings.directory,
            namespace: namespace,
            settings: DiskSettings(sizeLimit: byteCount, expiry: .afterAccess(settings.expiry))
        )
        configuration.trustsOtherUsers = settings.trustsOtherUsers
        return try await DiskCache.open(configuration)
    }

    private static func loader(
        _ settings: ServeSettings,
        _ descriptors: DescriptorBudget,
        _ sources: CurrentSources
    ) throws -> any DataLoader {
        var http = HTTPDataLoader.Configuration()
        // Those of the moment, which a reload may have changed.
        http.permitsRedirect = { url in sources.policy.permits(url) }
        var service = settings.service
        service.sources = SourcePolicy()
        http.totalTimeout = settings.sources.timeout
        http.redirectCountMax = settings.sources.redirectCountMax
        http.fetchConcurrencyMax = descriptors.fetchCount
        http.fetchConcurrencyPerHostMax = min(settings.sources.connectionCountMax, descriptors.fetchCount)
        http.userAgent = settings.sources.userAgent
        http.addressPolicy = settings.sources.addresses
        return settings.sources.addresses == .any
            ? try ImageService.loaderOfAnyAddress(for: service, http: http)
            : try ImageService.loader(for: service, http: http)
    }
}
