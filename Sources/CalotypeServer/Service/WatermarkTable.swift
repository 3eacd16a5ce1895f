import Calotype
import CalotypeCore
import CalotypeTransforms
import FoundationEssentials

/// Decoded watermarks by source and content; decodes are shared by concurrent requests.
final class WatermarkTable: Sendable {
    /// The maximum bytes of pixels.
    private static let maxByteCount = 64 << 20

    /// A decoded watermark, or the error with which decoding these bytes fails each time.
    final class Entry: Sendable {
        let result: Result<OverlayImage, LoadError>

        init(_ result: Result<OverlayImage, LoadError>) { self.result = result }

        fileprivate var cost: Int {
            switch result {
            case .success(let picture): picture.image.cost
            case .failure: 1_024
            }
        }
    }

    /// The requests of a target, with the pixels of its watermarks.
    private final class Requests: Sendable {
        let digests: [String]
        let byFormat: [ImageFormat?: ImageRequest]

        init(_ digests: [String], _ byFormat: [ImageFormat?: ImageRequest]) {
            (self.digests, self.byFormat) = (digests, byFormat)
        }
    }

    private let entries = MemoryCache<ImageKey, Entry>(costLimit: WatermarkTable.maxByteCount)
    /// Each counts with all of its pixels, although targets share them: otherwise they would not be bounded.
    private let requests = MemoryCache<ImageKey, Requests>(costLimit: WatermarkTable.maxByteCount)
    private let decodes = SharedWork<ImageKey, Entry, NoProgress>()

    /// Returns the pixels of a watermark.
    ///
    /// - Parameters:
    ///   - mark: The watermark.
    ///   - original: Its bytes.
    ///   - pipeline: Decodes them, in turn with its loads.
    ///   - deadline: The end of the wait.
    /// - Returns: The pixels of the first frame, rotated.
    /// - Throws: `LoadError`, or `CancellationError`.
    func picture(
        of mark: TargetWatermark,
        _ original: EncodedImage,
        by pipeline: ImagePipeline,
        until deadline: ContinuousClock.Instant
    ) async throws -> OverlayImage {
        // The source is in the key because another origin could make bytes with an equal tag.
        let source = "\(mark.request.url.absoluteString.utf8.count):\(mark.request.url.absoluteString)"
        let key = ImageKey("\(original.entityTag) \(mark.source.degrees) \(source)")
        if let known = entries[key] { return try known.result.get() }
        let entry = try await decodes.value(
            for: key,
            atMost: max(.zero, deadline - .now)
        ) { [entries] context in
            let entry = try await Self.decoded(mark, original.data, by: pipeline, context.priority.value)
            entries.insert(entry, forKey: key, cost: entry.cost + key.entryByteCount)
            return .value(entry)
        }
        return try entry.result.get()
    }

    /// Returns the requests of a target with the pixels of its watermarks, created or the last ones.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - name: The target's text.
    ///   - pictures: The pixels.
    ///   - configuration: The configuration of the service.
    /// - Throws: ``RequestError``.
    func requests(
        of target: ParsedTarget,
        named name: String,
        adding pictures: WatermarkPictures,
        _ configuration: ImageService.Configuration
    ) throws(RequestError) -> [ImageFormat?: ImageRequest] {
        let marks = target.watermarks.compactMap { pictures.pictures[$0.source] }
        let (key, digests) = (ImageKey(name), marks.map(\.digest))
        if let known = requests[key], known.digests == digests { return known.byFormat }
        let made = try ParsedTarget.requests(for: target.rendering.adding(pictures), configuration)
        let cost = marks.reduce(target.cost(of: name)) { $0 + $1.image.cost }
        requests.insert(Requests(digests, made), forKey: key, cost: cost)
        return made
    }

    /// Decodes bytes; a failure that would recur is a result.
    private static func decoded(
        _ mark: TargetWatermark,
        _ data: Data,
        by pipeline: ImagePipeline,
        _ priority: LoadPriority
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
        } catch let error as LoadError where error.fault == .input || error.exceededWorkTime {
            return Entry(.failure(error))
        } catch let error as LoadError where error.fault == .limit && !error.isRetryable {
            return Entry(.failure(error))
        }
    }
}
