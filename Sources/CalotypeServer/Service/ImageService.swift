public import Calotype
public import CalotypeCore
import CalotypeLoading
public import FoundationEssentials

/// An image service without its sockets: from what a client asks to what it gets.
///
/// What is kept is answered at once; only what has to be made takes a place among the work of the service.
public struct ImageService: Sendable {
    /// What a service does.
    public struct Configuration: Sendable {
        /// URLs in imgproxy's grammar, everywhere but below the other; `nil` for none.
        public var imgproxy: ImgproxyGrammar? = ImgproxyGrammar()
        /// URLs in thumbor's grammar, below `/thumbor/`; `nil` for none.
        public var thumbor: ThumborGrammar? = ThumborGrammar()
        /// Which pictures may be asked for; every one of the web unless set.
        public var sources = SourcePolicy()
        /// The folder that `local:` sources are in, a `file:` URL; none unless set.
        public var localRoot: URL?
        /// The encoders, and their qualities where a URL says nothing.
        public var encodings = EncodingDefaults()
        /// What is made for clients that name it, the best first; AVIF and WebP unless set.
        public var offers: [ImageFormat] = [.avif, .webP]
        /// What a decode may cost.
        public var limits = DecodeLimits()
        /// What answers say about being kept by others.
        public var caching = CachingFields()
        /// Whether answers are saved and not shown where a URL does not say; false unless set.
        public var savesByDefault = false
        /// How long a client waits for an answer; 30 s unless set.
        public var timeout: Duration = .seconds(30)
        /// When clients that find too much waiting may ask again; 1 s unless set.
        public var retryAfter: Duration = .seconds(1)
        /// Is told each answer; nobody unless set.
        public var observer: (any ServiceObserver)?
        /// The time of day, by which URLs end.
        public var timeSource: any TimeSource = SystemTimeSource()

        /// Creates the defaults; each is stated at its property.
        public init() {}
    }

    /// What makes and keeps the pictures.
    public let pipeline: ImagePipeline
    let configuration: Configuration

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - pipeline: What makes and keeps the pictures, from ``pipeline(_:workCountMax:waitingCountMax:)``.
    ///   - configuration: What the service does.
    public init(pipeline: ImagePipeline, configuration: Configuration = Configuration()) {
        (self.pipeline, self.configuration) = (pipeline, configuration)
    }

    /// A pipeline that makes so many pictures at once, and lets so many more wait; above that it refuses what
    /// is not kept.
    ///
    /// - Parameters:
    ///   - configuration: What it is made of.
    ///   - workCountMax: Pictures that are loaded and made at once.
    ///   - waitingCountMax: Pictures that wait for their turn.
    /// - Returns: The pipeline.
    public static func pipeline(
        _ configuration: ImagePipeline.Configuration,
        workCountMax: Int = 32,
        waitingCountMax: Int = 256
    ) -> ImagePipeline {
        var configuration = configuration
        configuration.workGate = AdmissionGate(countMax: workCountMax, waitingCountMax: waitingCountMax)
        return ImagePipeline(configuration)
    }

    /// The answer to a client.
    ///
    /// - Throws: `CancellationError`, where the calling task is cancelled; all else is an answer.
    public func answer(to request: ServiceRequest) async throws(CancellationError) -> ServiceAnswer {
        let start = ContinuousClock.now
        let answer = try await plainAnswer(to: request)
        var record = ServiceRecord(
            requestID: request.requestID,
            status: answer.status,
            duration: .now - start
        )
        record.cache = answer["X-Cache"].flatMap { CacheOutcome(rawValue: $0) }
        record.byteCount = answer.body.count
        record.errorCode = answer.status >= 400 ? "other" : nil
        configuration.observer?.answered(record)
        return answer
    }

    private func plainAnswer(to request: ServiceRequest) async throws(CancellationError) -> ServiceAnswer {
        let accepted = AcceptedTypes(request.accept)
        do {
            return try await picture(for: request, accepted)
        } catch let error as RequestError {
            return answer(ProblemDocument(error), accepted)
        } catch let error as LoadError {
            return answer(ProblemDocument(error), accepted)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let title = "The service has failed"
            return answer(ProblemDocument(status: 500, code: "other", title: title), accepted)
        }
    }

    /// What a target asks for, where its signature is good and its source allowed.
    ///
    /// - Throws: ``RequestError``.
    public func rendering(of target: String) throws(RequestError) -> Rendering {
        let rendering = try read(target)
        try rendering.delivery.check(at: configuration.timeSource.now())
        try configuration.sources.check(rendering.source)
        return rendering
    }

    static let thumborPrefix = "/thumbor"

    private func read(_ target: String) throws(RequestError) -> Rendering {
        if let thumbor = configuration.thumbor, target.hasPrefix("\(Self.thumborPrefix)/") {
            return try thumbor.rendering(of: String(target.dropFirst(Self.thumborPrefix.count)))
        }
        guard let imgproxy = configuration.imgproxy else {
            throw RequestError(.malformedPath, detail: "no grammar is mounted at \(target.quoted)")
        }
        return try imgproxy.rendering(of: target)
    }

    private func picture(
        for request: ServiceRequest,
        _ accepted: AcceptedTypes
    ) async throws -> ServiceAnswer {
        let rendering = try rendering(of: request.target)
        let negotiated = rendering.isNegotiated ? accepted.best(of: configuration.offers) : nil
        var made = try rendering.request(
            negotiated: negotiated,
            defaults: configuration.encodings,
            limits: configuration.limits
        )
        made.timeout = configuration.timeout
        if rendering.output == .original || !rendering.passthrough.isEmpty {
            var original = rendering.originalRequest(limits: configuration.limits)
            original.timeout = configuration.timeout
            let image = try await pipeline.data(for: original)
            if rendering.isOriginal(image.info.format, negotiated: negotiated) {
                return answer(image, rendering, request)
            }
        }
        return answer(try await pipeline.data(for: made), rendering, request)
    }
}

extension ImageService {
    private func answer(
        _ image: EncodedImage,
        _ rendering: Rendering,
        _ request: ServiceRequest
    ) -> ServiceAnswer {
        let tag = image.entityTag
        let now = configuration.timeSource.now()
        var fields = [
            HeaderField("ETag", tag),
            HeaderField(
                "Cache-Control",
                configuration.caching.cacheControl(for: rendering.delivery, at: now)
            ),
            HeaderField("X-Cache", image.cacheLabel),
            HeaderField("X-Content-Type-Options", "nosniff"),
        ]
        if rendering.isNegotiated, !configuration.offers.isEmpty {
            fields.append(HeaderField("Vary", "Accept"))
        }
        let isKnown = Conditions.isNotModified(ifNoneMatch: request.ifNoneMatch, entityTag: tag)
        guard !isKnown else { return ServiceAnswer(status: 304, fields: fields) }
        let disposition = ContentDisposition.value(
            for: rendering,
            format: image.info.format,
            savesByDefault: configuration.savesByDefault
        )
        fields.append(HeaderField("Content-Type", image.info.format.mediaType))
        fields.append(HeaderField("Content-Disposition", disposition))
        return ServiceAnswer(status: 200, fields: fields, body: image.data)
    }

    private func answer(_ problem: ProblemDocument, _ accepted: AcceptedTypes) -> ServiceAnswer {
        let isJSON = ProblemDocument.isTaken(by: accepted)
        var fields = [
            HeaderField("Content-Type", isJSON ? ProblemDocument.mediaType : "text/plain; charset=utf-8"),
            HeaderField("Cache-Control", CachingFields.ofErrors),
            HeaderField("X-Content-Type-Options", "nosniff"),
        ]
        if problem.status == 503 {
            let seconds = max(1, configuration.retryAfter.components.seconds)
            fields.append(HeaderField("Retry-After", "\(seconds)"))
        }
        return ServiceAnswer(
            status: problem.status,
            fields: fields,
            body: isJSON ? problem.json : problem.text
        )
    }
}

extension EncodedImage {
    /// Where an answer came from, for `X-Cache`.
    fileprivate var cacheLabel: String {
        if isStale { return "stale" }
        switch source {
        case .memory: return "memory"
        case .disk where !isNew: return "disk"
        default: return "miss"
        }
    }
}
