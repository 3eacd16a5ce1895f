import Calotype
import CalotypeSupport

/// Makes pictures that nobody waits for, behind answers: each once, and no more than so many at once.
final class WorkBehind: Sendable {
    private static let countMax = 16

    private let targets = Guarded(Set<String>())

    /// Begins to make a picture; nothing where it is being made, or too many are.
    ///
    /// - Parameters:
    ///   - request: The picture.
    ///   - target: What it was asked for by.
    ///   - pipeline: What makes it.
    func make(_ request: ImageRequest, for target: String, by pipeline: ImagePipeline) {
        let isNew = targets.withLock { targets in
            targets.count < Self.countMax && targets.insert(target).inserted
        }
        guard isNew else { return }
        var request = request
        request.priority = .low
        Task { [request] in
            defer { targets.withLock { _ = $0.remove(target) } }
            // Whoever asks for it next will meet the error himself.
            do { _ = try await pipeline.data(for: request) } catch { return }
        }
    }
}
