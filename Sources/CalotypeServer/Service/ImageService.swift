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
    let watermarks = WatermarkTable()
    let workBehind = BackgroundWork()
    let uploading = SharedWork<Int, EncodedImage, NoProgress>()
    let uploadNumbers = UploadNumbers()
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
        var record = ServiceRecord(of: request)
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

    func tell(_ record: inout ServiceRecord, of answer: ServiceResponse) {
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
        let target = try targets.understand(path, hints(of: request))
        record.source = target.sourceText
        guard !isInfo else {
            return try await description(of: target, for: request, until: deadline, &record)
        }
        try target.rendering.checkIsImage()
        return try await picture(of: target, for: request, until: deadline, &record)
    }

    private static let infoPrefix = "/info"

    /// Returns the grammar whose paths a target belongs to, whether it is enabled or not.
    package static func grammar(of target: String) -> Grammar { TargetReader.grammar(of: target) }

    /// The hints that the service uses.
    func hints(of request: ServiceRequest) -> ClientHints {
        configuration.usesClientHints ? request.hints : .none
    }

    /// Returns a text that differs for requests with different results.
    func name(of request: ServiceRequest) -> String {
        // A line break cannot occur in a target.
        "\(request.target)\n\(hints(of: request).text)"
    }

    /// Returns the client hints in header fields; none if the service does not use them.
    ///
    /// - Parameter field: Returns the value of a field.
    /// - Returns: The hints, rounded as configured.
    package func hints(_ field: (String) -> String?) -> ClientHints {
        guard configuration.usesClientHints else { return .none }
        let values = ClientHints.fieldNames.map(field)
        return ClientHints(
            density: values[0] ?? values[1],
            width: values[2] ?? values[3],
            roundedTo: configuration.imgproxy?.widths
        )
    }

    /// The pages of other origins that may read responses; `nil` for none.
    package var crossOrigin: CrossOriginPolicy? { configuration.crossOrigin }

    /// Parses a target; checks its signature, its expiry and its source.
    package func rendering(of target: String) throws(RequestError) -> Rendering {
        try targets.rendering(of: target)
    }

    /// Parses the path of an upload; checks its signature and the sources of its watermarks.
    ///
    /// - Parameters:
    ///   - target: The path.
    ///   - isAuthorized: Whether the request has the token of uploads, which replaces the signature.
    /// - Returns: The rendering.
    /// - Throws: ``RequestError``.
    package func rendering(
        ofUpload target: String,
        isAuthorized: Bool
    ) throws(RequestError) -> Rendering {
        guard configuration.uploads != nil, let imgproxy = configuration.imgproxy else {
            throw RequestError(.malformedPath, detail: "uploads are disabled")
        }
        let rendering = try imgproxy.rendering(ofUpload: target, isAuthorized: isAuthorized)
        try rendering.checkIsImage()
        try targets.checkWatermarks(of: rendering)
        return rendering
    }
}
