import Calotype
import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeHummingbird
import CalotypeLoading
import CalotypeSandbox
import CalotypeServer
import CalotypeSupport

/// A service with its pipeline, caches and codec workers, created from settings.
struct ServiceParts: Sendable {
    /// Decoded images are intermediate results; few of them are requested again.
    private static let maxDecodedByteCount = 16 << 20
    private static let maxAdminConnectionCount = 64
    /// Decodes run at a lower priority than responses from the caches.
    private static let decodeThreadNiceness = 10

    let service: ImageService
    let statistics: ServiceStatistics
    let watch: PipelineMonitor
    /// The folder of the disk cache; `nil` for none.
    let folder: String?
    /// The processes that run codecs; `nil` for in-process codecs.
    let workers: CodecWorkers?
    /// The sources that redirects may lead to.
    let sources: CurrentSources
    /// The credentials of origins.
    let origins: OriginTable
    private let configuration: ImageService.Configuration
    /// A description of the confinement of codecs; `nil` for in-process codecs.
    var sandboxSummary: String? { workers?.sandboxSummary }

    /// Warnings about features that are missing because codecs are not fully confined, one line each.
    var warnings: [String] {
        workers.map { Self.warnings($0.warnings, isSandboxed: $0.isSandboxed) } ?? []
    }

    static func wanted(_ settings: ServeSettings) -> DescriptorBudget.Wanted {
        DescriptorBudget.Wanted(
            connectionCount: settings.listeners.limits.maxConnectionCount,
            adminConnectionCount: settings.listeners.admin == nil ? 0 : maxAdminConnectionCount,
            // A few hanging origins must leave capacity for others.
            fetchCount: max(256, 4 * settings.sources.maxConnectionCount),
            workerCount: width,
            workerKindCount: settings.sandbox.isOn ? CodecWorkers.Configuration.kindCount : 0
        )
    }

    static func warnings(_ told: [String], isSandboxed: Bool) -> [String] {
        let formats = "JPEG XL is disabled, since codecs are not locked in"
        return told + (isSandboxed ? [] : [formats])
    }

    /// Opens the caches, and starts the codec workers.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - descriptors: The descriptors that each part may open.
    ///   - observer: Receives each response record, after it has been counted.
    ///   - watch: Receives the pipeline's events.
    ///   - workerFailure: Called for each codec worker that does not start.
    /// - Returns: The service with its parts.
    /// - Throws: ``CalotypeCache/DiskCacheError`` if the cache folder cannot be used, and
    ///   ``CalotypeSandbox/SandboxError`` if codecs cannot be confined as the settings require.
    static func open(
        _ settings: ServeSettings,
        _ descriptors: DescriptorBudget,
        observer: any ServiceObserver,
        watch: PipelineMonitor = PipelineMonitor(),
        workerFailure: @escaping @Sendable (SandboxError) -> Void
    ) async throws -> ServiceParts {
        let disk = try await disk(settings.tiers.disk)
        let workers = try await workers(settings, descriptors, workerFailure)
        let codecs = codecs(workers)
        let sources = CurrentSources(settings.service.sources)
        let origins = try OriginTable(try await OriginFiles(settings).credentials())
        let cache = ImageCache(
            memory: ImageCache.Memory(costLimit: maxDecodedByteCount),
            stores: disk.map { [$0.store] } ?? [],
            codecs: codecs,
            maxDecodeConcurrency: width,
            decodeThreadNiceness: Self.decodeThreadNiceness
        )
        var pipeline = ImagePipeline.Configuration(
            cache: cache,
            loader: try await loader(settings, descriptors, sources, origins)
        )
        pipeline.observers = [watch]
        pipeline.originalTimeout = settings.sources.timeout
        pipeline.encodedCostLimit = settings.tiers.memoryByteCount
        pipeline.staleAllowance = StaleAllowance(
            whileRevalidating: settings.service.caching.staleWhileRevalidate,
            ifError: settings.service.caching.staleIfError,
            minLifetime: settings.sources.minLifetime,
            maxLifetime: settings.sources.maxLifetime
        )
        let tiers: Set<ServiceStatistics.Tier> = disk == nil ? [.memory] : [.memory, .disk]
        let statistics = ServiceStatistics(tiers: tiers, then: observer)
        var configuration = settings.service
        configuration.observer = SettingNameTranslator(then: statistics)
        configuration.encodings.codecs = codecs
        configuration.fallback = try await fallback(settings)
        configuration.settingBehind = NamedLimits(settings).limit
        let service = ImageService(
            pipeline: ImageService.pipeline(
                pipeline,
                maxWorkCount: settings.tiers.maxWorkCount,
                maxWaitingCount: settings.tiers.maxWaitingCount,
                maxWorkByteCount: settings.tiers.maxWorkByteCount
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
            origins: origins,
            configuration: configuration
        )
    }

    /// Returns a service with other reloadable settings, on the same pipeline.
    ///
    /// - Throws: ``CalotypeLoading/FetchError`` if the fallback cannot be read.
    func service(with settings: ServeSettings) async throws -> ImageService {
        var configuration = configuration
        configuration.take(from: settings.service)
        configuration.fallback = try await Self.fallback(settings)
        configuration.settingBehind = NamedLimits(settings).limit
        return ImageService(pipeline: service.pipeline, configuration: configuration)
    }

    private static func fallback(_ settings: ServeSettings) async throws -> FallbackImage? {
        guard let fallback = settings.fallback else { return nil }
        let data = try await FallbackFile.read(fallback.path, limits: settings.service.limits)
        var image = FallbackImage(data: data, status: fallback.status)
        (image.statuses, image.maxAge) = (fallback.statuses, fallback.maxAge)
        return image
    }

    /// Returns all codecs if they are confined, else those whose memory limits can bound (decision 0117).
    static func codecs(_ workers: CodecWorkers?) -> CodecRegistry {
        guard let workers else { return .publicWeb }
        return workers.codecs(workers.isSandboxed ? .standard : .publicWeb)
    }

    /// One thread for each core, and one for small work next to large work (decision 0300).
    private static let width = BlockingPool.coreCount + 1

    private static func workers(
        _ settings: ServeSettings,
        _ descriptors: DescriptorBudget,
        _ workerFailure: @escaping @Sendable (SandboxError) -> Void
    ) async throws -> CodecWorkers? {
        guard settings.sandbox.isOn else { return nil }
        return try await SandboxOptions.workers { configuration in
            configuration.maxCount = descriptors.workerCount
            configuration.isBestEffort = settings.sandbox.isBestEffort
            configuration.maxMemoryByteCount = settings.sandbox.maxByteCount
            configuration.maxTotalMemoryByteCount = settings.sandbox.maxAllByteCount
            configuration.startFailureHandler = workerFailure
            configuration.maxEncodeDuration = settings.service.limits.maxDuration
            configuration.maxTransformDuration = settings.service.limits.maxDuration
        }
    }

    /// The disk cache, with separate limits for originals and results: neither evicts the other.
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
        _ sources: CurrentSources,
        _ origins: OriginTable
    ) async throws -> any DataLoader {
        var http = HTTPDataLoader.Configuration()
        // The current policy, which a reload may have replaced.
        http.permitsRedirect = { url in sources.policy.permits(url) }
        var service = settings.service
        service.sources = SourcePolicy()
        http.totalTimeout = settings.sources.timeout
        http.maxRedirectCount = settings.sources.maxRedirectCount
        http.maxFetchConcurrency = descriptors.fetchCount
        http.maxFetchConcurrencyPerHost = min(settings.sources.maxConnectionCount, descriptors.fetchCount)
        http.userAgent = settings.sources.userAgent
        http.referer = settings.sources.referer
        http.additionalTrustRoots = try await OriginFiles(settings).trustRoots()
        http.origins = origins
        http.addressPolicy = settings.sources.addresses
        return settings.sources.addresses == .any
            ? try ImageService.unrestrictedLoader(for: service, http: http)
            : try ImageService.loader(for: service, http: http)
    }
}
