public import Calotype
import CalotypeLoading
import FoundationEssentials

/// An image service without its sockets: from what a client asks to what it gets.
///
/// What is kept is answered at once; only what has to be made takes a place among the work of the service.
public struct ImageService: Sendable {
    /// What makes and keeps the pictures.
    public let pipeline: ImagePipeline
    let configuration: Configuration
    /// What URLs ask for, as they have been understood; signed ones alone are there.
    ///
    /// By their bytes: texts may be equal that are written otherwise.
    let understood = MemoryCache<ImageKey, UnderstoodTarget>(costLimit: 8 << 20)
    /// What has been told of pictures.
    let descriptions = MemoryCache<ImageKey, PictureDescription.Box>(costLimit: 4 << 20)
    /// What is being told of pictures, once for all that ask for it.
    let describing = SharedWork<DescriptionKey, Data, NoProgress>()
    let workBehind = WorkBehind()
    let fallbackURL: URL?

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - pipeline: What makes and keeps the pictures, from
    ///     ``pipeline(_:workCountMax:waitingCountMax:workByteCountMax:)``.
    ///   - configuration: What the service does.
    public init(pipeline: ImagePipeline, configuration: Configuration = Configuration()) {
        var configuration = configuration
        // A client that names a format which is not made gets another, and no error.
        let encodings = configuration.encodings
        configuration.offers.removeAll { !encodings.makes($0) }
        (self.pipeline, self.configuration) = (pipeline, configuration)
        fallbackURL = configuration.fallback.flatMap {
            URL(string: "data:;base64,\($0.data.base64EncodedString())")
        }
    }

    /// The answer to a client.
    ///
    /// - Throws: `CancellationError`, where the calling task is cancelled; all else is an answer.
    public func answer(to request: ServiceRequest) async throws(CancellationError) -> ServiceAnswer {
        let start = ContinuousClock.now
        let deadline = start + configuration.timeout
        var log = AnswerLog()
        do {
            var answer = try await picture(for: request, until: deadline, &log)
            let elapsed = ContinuousClock.now - start
            answer.fields.append(HeaderField("Server-Timing", log.timings.field(total: elapsed)))
            tell(log, of: request, status: answer.status, byteCount: answer.body.count, elapsed)
            return answer
        } catch let error as CancellationError {
            tell(log, of: request, status: 499, byteCount: 0, ContinuousClock.now - start)
            throw error
        } catch {
            let answer = await answer(toFailure: error, of: request, until: deadline, &log)
            tell(
                log,
                of: request,
                status: answer.status,
                byteCount: answer.body.count,
                ContinuousClock.now - start
            )
            return answer
        }
    }

    private func tell(
        _ log: AnswerLog,
        of request: ServiceRequest,
        status: Int,
        byteCount: Int,
        _ duration: Duration
    ) {
        guard let observer = configuration.observer else { return }
        var record = ServiceRecord(requestID: request.requestID, status: status, duration: duration)
        (record.method, record.target, record.client) = (request.method, request.target, request.client)
        (record.cache, record.source, record.byteCount) = (log.cache, log.source, byteCount)
        (record.timings, record.sharesWork) = (log.timings, log.sharesWork)
        (record.errorCode, record.errorStep) = (log.errorCode, log.errorStep)
        record.errorDetail = log.errorDetail
        observer.answered(record)
    }

    /// What a target asks for, where its signature is good and its source allowed.
    ///
    /// - Throws: ``RequestError``.
    public func rendering(of target: String) throws(RequestError) -> Rendering {
        let rendering = try read(target)
        try rendering.delivery.check(at: configuration.timeSource.now())
        try checkSource(rendering.source)
        return rendering
    }

    func checkSource(_ source: SourceURL) throws(RequestError) {
        try configuration.sources.check(source)
        guard source.scheme != "local" || configuration.localRoot != nil else {
            throw RequestError(
                .sourceNotAllowed,
                detail: "there is no folder for \(source.description.quoted)"
            )
        }
    }

    static let thumborPrefix = "/thumbor"
    static let infoPrefix = "/info"

    private func read(_ target: String) throws(RequestError) -> Rendering {
        if let thumbor = configuration.thumbor, target.hasPrefix("\(Self.thumborPrefix)/") {
            return try thumbor.rendering(of: String(target.dropFirst(Self.thumborPrefix.count)))
        }
        guard let imgproxy = configuration.imgproxy else {
            throw RequestError(.malformedPath, detail: "no grammar is mounted at \(target.quoted)")
        }
        return try imgproxy.rendering(of: target)
    }
}

/// What is noted of an answer while it is made.
struct AnswerLog {
    var cache: CacheOutcome?
    var source: String?
    var timings = ServiceTimings()
    var sharesWork = false
    var errorCode: String?
    var errorStep: String?
    var errorDetail: String?
}
