import Calotype
import CalotypeCore
import CalotypeTransforms
import FoundationEssentials

/// Decoded watermarks by source and content; decodes are shared by concurrent requests.
final class WatermarkTable: Sendable {
    /// The maximum bytes of pixels.
    private static let maxByteCount = 64 << 20

    /// The time for which a decode that took too much time or memory is not repeated.
    private static let failureDuration = Duration.seconds(60)

    /// A decoded watermark, or the error with which decoding these bytes fails.
    final class Entry: Sendable {
        let result: Result<OverlayImage, LoadError>
        /// The end of an error that another decode may not have; `nil` for none.
        let expiresAt: Timestamp?

        init(_ result: Result<OverlayImage, LoadError>, expiresAt: Timestamp? = nil) {
            (self.result, self.expiresAt) = (result, expiresAt)
        }

        fileprivate var cost: Int {
            switch result {
            case .success(let picture): picture.image.cost
            case .failure: 1_024
            }
        }
    }

    /// The requests of a target, with the pixels of its watermarks.
    final class Requests: Sendable {
        let digests: [String]
        let requests: NegotiatedRequests

        init(_ digests: [String], _ requests: NegotiatedRequests) {
            (self.digests, self.requests) = (digests, requests)
        }
    }

    let entries = MemoryCache<ImageKey, Entry>(costLimit: WatermarkTable.maxByteCount)
    /// Each counts with all of its pixels, although targets share them: otherwise they would not be bounded.
    let requests = MemoryCache<ImageKey, Requests>(costLimit: WatermarkTable.maxByteCount)
    private let decodes = SharedWork<ImageKey, Entry, NoProgress>()

    /// Returns the pixels of a watermark.
    ///
    /// - Parameters:
    ///   - mark: The watermark.
    ///   - original: Its bytes.
    ///   - pipeline: Decodes them, in turn with its loads.
    ///   - time: The time source for the end of failures.
    ///   - deadline: The end of the wait.
    /// - Returns: The pixels of the first frame, rotated.
    /// - Throws: `LoadError`, or `CancellationError`.
    func picture(
        of mark: TargetWatermark,
        _ original: EncodedImage,
        by pipeline: ImagePipeline,
        time: any TimeSource,
        until deadline: ContinuousClock.Instant
    ) async throws -> OverlayImage {
        // The source is in the key because another origin could make bytes with an equal tag.
        let key = ImageKey("\(original.entityTag) \(mark.source.text)")
        if let known = entries[key], known.expiresAt.map({ time.now() < $0 }) ?? true {
            return try known.result.get()
        }
        let entry = try await decodes.value(
            for: key,
            atMost: max(.zero, deadline - .now)
        ) { [self] context in
            let priority = context.priority.value
            let entry = try await Self.decoded(mark, original.data, by: pipeline, priority, time)
            insert(entry, forKey: key)
            return .value(entry)
        }
        return try entry.result.get()
    }

    func insert(_ entry: Entry, forKey key: ImageKey) {
        entries.insert(entry, forKey: key, cost: entry.cost + key.entryByteCount)
    }

    /// Returns the requests of a target with the pixels of its watermarks, created or the last ones.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - name: A text that differs for other targets, and for other hints.
    ///   - pictures: The pixels.
    ///   - configuration: The configuration of the service.
    /// - Returns: The requests.
    /// - Throws: ``RequestError``.
    func requests(
        of target: ParsedTarget,
        named name: String,
        adding pictures: WatermarkPictures,
        _ configuration: ImageService.Configuration
    ) throws(RequestError) -> NegotiatedRequests {
        let marks = target.watermarks.compactMap { pictures.pictures[$0.source] }
        let (key, digests) = (ImageKey(name), marks.map(\.digest))
        if let known = requests[key], known.digests == digests { return known.requests }
        let made = try NegotiatedRequests(target.rendering.adding(pictures), configuration)
        let cost = marks.reduce(target.cost(of: name)) { $0 + $1.image.cost }
        requests.insert(Requests(digests, made), forKey: key, cost: cost)
        return made
    }

    /// Decodes bytes; a failure that would recur is an entry.
    private static func decoded(
        _ mark: TargetWatermark,
        _ data: Data,
        by pipeline: ImagePipeline,
        _ priority: LoadPriority,
        _ time: any TimeSource
    ) async throws -> Entry {
        var decoding = mark.request.decoding
        decoding.frames = .first
        decoding.scale = 1
        do {
            let image = try await pipeline.image(
                from: data,
                decoding: decoding,
                transforms: .rotate(byDegrees: mark.source.degrees),
                priority: priority
            )
            return Entry(.success(try await pipeline.compute { OverlayImage(image) }))
        } catch let error as LoadError {
            let code = (error.underlying as? DecodeError)?.code
            if [.crashed, .timedOut, .memoryExceeded].contains(code) || error.exceededWorkTime {
                return Entry(.failure(error), expiresAt: time.now() + failureDuration)
            }
            guard error.fault == .input || code == .limitExceeded else { throw error }
            return Entry(.failure(error))
        }
    }
}
