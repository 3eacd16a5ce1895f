import Calotype
import CalotypeSupport

/// Background rendering after a response: each image once, and a limited number at once.
final class BackgroundWork: Sendable {
    private static let maxCount = 16

    private let targets = Guarded(Set<String>())

    /// Starts rendering an image, unless it is in progress or the limit is reached.
    func make(_ request: ImageRequest, for target: String, by pipeline: ImagePipeline) {
        let isNew = targets.withLock { targets in
            targets.count < Self.maxCount && targets.insert(target).inserted
        }
        guard isNew else { return }
        var request = request
        request.priority = .low
        Task { [request] in
            defer { targets.withLock { _ = $0.remove(target) } }
            // The next request for the image reports the error.
            do { _ = try await pipeline.data(for: request) } catch { return }
        }
    }
}
