import Calotype
import CalotypeCore
import CalotypeTransforms
import FoundationEssentials

/// The bytes of watermarks, and their pixels once a result has needed them.
///
/// Both are bounded, and no request retains them: a request may wait for its original for long. Bytes that
/// have left the table meanwhile are loaded again.
final class WatermarkPixels: Sendable {
    /// The maximum bytes of each table.
    private static let maxByteCount = 64 << 20

    /// The time for which a decode that took too much time or memory is not repeated.
    private static let failureDuration = Duration.seconds(60)

    final class Encoded: Sendable {
        let data: Data

        init(_ data: Data) { self.data = data }
    }

    /// A decoded watermark, or the error with which decoding its bytes fails.
    final class Decoded: Sendable {
        let result: Result<Image, LoadError>
        /// The end of an error that another decode may not have; `nil` for none.
        let expiresAt: Timestamp?

        init(_ result: Result<Image, LoadError>, expiresAt: Timestamp? = nil) {
            (self.result, self.expiresAt) = (result, expiresAt)
        }

        fileprivate var cost: Int {
            switch result {
            case .success(let image): image.cost
            case .failure: 1_024
            }
        }
    }

    /// Encoded bytes by their digest.
    let encoded = MemoryCache<ImageKey, Encoded>(costLimit: WatermarkPixels.maxByteCount)
    /// Pixels by the digest of their overlay.
    let decoded = MemoryCache<ImageKey, Decoded>(costLimit: WatermarkPixels.maxByteCount)

    /// Caches the bytes for the decode.
    func keep(_ data: Data, digest: String) {
        let key = ImageKey(digest)
        guard !encoded.contains(key) else { return }
        encoded.insert(Encoded(data), forKey: key, cost: data.count + key.entryByteCount)
    }

    func keep(_ result: Decoded, overlay: String) {
        let key = ImageKey(overlay)
        decoded.insert(result, forKey: key, cost: result.cost + key.entryByteCount)
    }

    /// Throws the known error of a decode.
    func check(overlay: String, at now: Timestamp) throws(LoadError) {
        guard let known = decoded.peek(ImageKey(overlay)), known.expiresAt.map({ now < $0 }) ?? true,
            case .failure(let error) = known.result
        else { return }
        throw error
    }

    /// Returns the pixels of the first frame, rotated.
    ///
    /// - Parameters:
    ///   - mark: The watermark.
    ///   - digest: The digest of its bytes.
    ///   - overlay: The digest of its overlay.
    ///   - pipeline: Decodes it on the calling thread.
    ///   - time: The time source for the end of failures.
    /// - Returns: The pixels.
    /// - Throws: ``WatermarkError``, or `DecodeError` if no task waits any longer.
    func image(
        of mark: TargetWatermark,
        digest: String,
        overlay: String,
        by pipeline: ImagePipeline,
        time: any TimeSource
    ) throws -> Image {
        if let known = decoded[ImageKey(overlay)], case .success(let image) = known.result { return image }
        do { try check(overlay: overlay, at: time.now()) } catch { throw WatermarkError(underlying: error) }
        guard let data = encoded[ImageKey(digest)]?.data else { throw WatermarkError.evicted }
        do {
            let image = try pipeline.imageAtOnce(
                from: data,
                decoding: mark.decoding,
                transforms: .rotate(byDegrees: mark.source.degrees)
            ).firstFrame
            keep(Decoded(.success(image)), overlay: overlay)
            return image
        } catch {
            let code = (error.underlying as? DecodeError)?.code
            if code == .cancelled { throw error.underlying }
            if [.crashed, .timedOut, .memoryExceeded].contains(code) || error.exceededWorkTime {
                let end = time.now() + Self.failureDuration
                keep(Decoded(.failure(error), expiresAt: end), overlay: overlay)
            } else if error.fault == .input || code == .limitExceeded {
                keep(Decoded(.failure(error)), overlay: overlay)
            }
            throw WatermarkError(underlying: error)
        }
    }
}
