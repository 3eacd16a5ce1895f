import Calotype
import CalotypeCore
import CalotypeSupport
import CalotypeTransforms
import FoundationEssentials

/// The watermarks of targets by source and content, and the requests with them; without pixels.
final class WatermarkTable: Sendable {
    private static let maxByteCount = 8 << 20

    /// The bytes that are hashed before other tasks of the thread run.
    private static let hashedByteCount = 256 << 10

    final class Picture: Sendable {
        /// The digest of the encoded bytes.
        let digest: String
        let overlay: OverlayImage

        init(digest: String, _ overlay: OverlayImage) {
            (self.digest, self.overlay) = (digest, overlay)
        }
    }

    /// The requests of a target, with its watermarks.
    final class Requests: Sendable {
        let digests: [String]
        let requests: NegotiatedRequests

        init(_ digests: [String], _ requests: NegotiatedRequests) {
            (self.digests, self.requests) = (digests, requests)
        }
    }

    /// Overlays by source and entity tag.
    let pictures = MemoryCache<ImageKey, Picture>(costLimit: WatermarkTable.maxByteCount)
    let requests = MemoryCache<ImageKey, Requests>(costLimit: WatermarkTable.maxByteCount)
    /// A class of its own: overlays retain it, and this table retains overlays.
    let pixels = WatermarkPixels()
    private let digests = SharedWork<ImageKey, Picture, NoProgress>()

    /// Returns a watermark, which is decoded when a result with it is made.
    ///
    /// - Parameters:
    ///   - mark: The watermark.
    ///   - original: Its bytes.
    ///   - pipeline: Decodes them.
    ///   - time: The time source for the end of failures.
    ///   - deadline: The end of the wait.
    /// - Returns: The first frame, rotated.
    /// - Throws: `LoadError`, also that of a past decode; `CancellationError`.
    func picture(
        of mark: TargetWatermark,
        _ original: EncodedImage,
        by pipeline: ImagePipeline,
        time: any TimeSource,
        until deadline: ContinuousClock.Instant
    ) async throws -> OverlayImage {
        // The source is in the key because another origin could make bytes with an equal tag.
        let key = ImageKey("\(original.entityTag) \(mark.source.text)")
        var known = pictures[key]
        if known == nil {
            try mark.check(original)
            known = try await digests.value(
                for: key,
                atMost: max(.zero, deadline - .now)
            ) { [self] _ in
                let digest = await Self.digest(of: original.data)
                let picture = picture(of: mark, original.info, digest: digest, by: pipeline, time: time)
                pictures.insert(picture, forKey: key, cost: 1_024 + key.entryByteCount)
                return .value(picture)
            }
        }
        guard let known else { throw CancellationError() }
        try pixels.check(overlay: known.overlay.digest, at: time.now())
        pixels.keep(original.data, digest: known.digest)
        return known.overlay
    }

    private func picture(
        of mark: TargetWatermark,
        _ info: ImageInfo,
        digest: String,
        by pipeline: ImagePipeline,
        time: any TimeSource
    ) -> Picture {
        let (size, degrees) = (info.displaySize, mark.source.degrees)
        let turned = TransformChain.rotatedSize(of: size, byDegrees: degrees)
        let overlay = degrees == 0 ? digest : "\(digest),degrees=\(degrees)"
        // The decode, the rotated image, and its copies on the way to a worker and in it.
        let pixelCount = size.pixelCount + (degrees == 0 ? 2 : 3) * turned.pixelCount
        let picture = OverlayImage(
            size: turned,
            digest: overlay,
            byteCount: 4 * pixelCount
        ) { [pixels] in
            let image = try pixels.image(of: mark, digest: digest, overlay: overlay, by: pipeline, time: time)
            guard image.size == turned else {
                throw WatermarkError.unlikeHeader(image.size, turned)
            }
            return image
        }
        return Picture(digest: digest, picture)
    }

    /// Returns the requests of a target with its watermarks, created or the last ones.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - name: A text that differs for other targets, and for other hints.
    ///   - pictures: The watermarks.
    ///   - configuration: The configuration of the service.
    /// - Returns: The requests.
    /// - Throws: ``RequestError``.
    func requests(
        of target: ParsedTarget,
        named name: String,
        adding pictures: WatermarkPictures,
        _ configuration: ImageService.Configuration
    ) throws(RequestError) -> NegotiatedRequests {
        let digests = target.watermarks.compactMap { pictures.pictures[$0.source]?.digest }
        let key = ImageKey(name)
        if let known = requests[key], known.digests == digests { return known.requests }
        let made = try NegotiatedRequests(target.rendering.adding(pictures), configuration)
        requests.insert(Requests(digests, made), forKey: key, cost: target.cost(of: name))
        return made
    }

    /// Returns the SHA-256 in hexadecimal digits.
    private static func digest(of data: Data) async -> String {
        var digest = MessageDigest.sha256()
        var start = data.startIndex
        while start < data.endIndex {
            let end = min(start + hashedByteCount, data.endIndex)
            data[start..<end].withUnsafeBytes { digest.update($0) }
            start = end
            await Task.yield()
        }
        return digest.finalize().hexadecimalDigits
    }
}
