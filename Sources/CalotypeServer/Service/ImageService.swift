public import Calotype
import CalotypeLoading
import FoundationEssentials

/// An image service without sockets: it maps requests to responses.
///
/// Cache hits are answered at once; only cache misses take a permit of the work gate.
public struct ImageService: Sendable {
    /// The pipeline that loads, processes and caches images.
    public let pipeline: ImagePipeline
    let configuration: Configuration
    let targets: TargetReader
    let descriptions = MemoryCache<ImageKey, ImageDescription.Box>(costLimit: 4 << 20)
    /// Descriptions in progress, shared by concurrent requests.
    let describing = SharedWork<DescriptionKey, Data, NoProgress>()
    let workBehind = BackgroundWork()
    let fallbackURL: URL?

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline, from ``pipeline(_:maxWorkCount:maxWaitingCount:maxWorkByteCount:)``.
    ///   - configuration: The configuration of the service.
    public init(pipeline: ImagePipeline, configuration: Configuration = Configuration()) {
        var configuration = configuration
        // A client that accepts a format without an encoder gets another one, not an error.
        let encodings = configuration.encodings
        configuration.offers.removeAll { !encodings.supports($0) }
        (self.pipeline, self.configuration) = (pipeline, configuration)
        targets = TargetReader(configuration)
        fallbackURL = configuration.fallback.flatMap {
            URL(string: "data:;base64,\($0.data.base64EncodedString())")
        }
    }

    /// Returns the response to a request.
    ///
    /// - Throws: `CancellationError` if the calling task is cancelled; all other errors become responses.
    public func response(to request: ServiceRequest) async throws(CancellationError) -> ServiceResponse {
        let start = ContinuousClock.now
        let deadline = start + configuration.timeout
        var record = ServiceRecord(requestID: request.requestID, status: 499, duration: .zero)
        (record.method, record.target, record.client) = (request.method, request.target, request.client)
        do {
            var answer = try await content(for: request, until: deadline, &record)
            record.duration = .now - start
            answer.fields.append(
                HeaderField("Server-Timing", record.timings.serverTiming(total: record.duration))
            )
            tell(&record, of: answer)
            return answer
        } catch let error as CancellationError {
            record.duration = .now - start
            configuration.observer?.didRespond(record)
            throw error
        } catch {
            let answer = await response(toFailure: error, of: request, until: deadline, &record)
            record.duration = .now - start
            tell(&record, of: answer)
            return answer
        }
    }

    private func tell(_ record: inout ServiceRecord, of answer: ServiceResponse) {
        (record.status, record.byteCount) = (answer.status, answer.body.count)
        configuration.observer?.didRespond(record)
    }

    /// Returns the image or the description that a target names.
    private func content(
        for request: ServiceRequest,
        until deadline: ContinuousClock.Instant,
        _ record: inout ServiceRecord
    ) async throws -> ServiceResponse {
        let isInfo = request.target.hasPrefix("\(Self.infoPrefix)/")
        let path = isInfo ? String(request.target.dropFirst(Self.infoPrefix.count)) : request.target
        let target = try targets.understand(path)
        record.source = target.sourceText
        guard !isInfo else {
            return try await description(of: target, for: request, until: deadline, &record)
        }
        try target.rendering.checkIsImage()
        return try await picture(of: target, for: request, until: deadline, &record)
    }

    private static let infoPrefix = "/info"

    /// Parses a target; checks its signature, its expiry and its source.
    package func rendering(of target: String) throws(RequestError) -> Rendering {
        try targets.rendering(of: target)
    }
}
