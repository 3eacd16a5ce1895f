import Calotype
import CalotypeSupport
import FoundationEssentials

/// An upload whose path was verified, while its body arrives.
///
/// It holds no permit for processing. Its bytes count in the budget of loads, with the share of one origin
/// for all uploads.
package final class Upload: Sendable {
    private struct State {
        var data = Data()
        var budget: ReceivedBytes?
        var reservedByteCount = 0
        var requests: Result<TargetRequests, any Error>?
    }

    /// Loads watermarks until a time, and returns the requests for results.
    typealias Preparation = @Sendable (ContinuousClock.Instant) async throws -> TargetRequests

    /// The bytes that are reserved ahead of those received.
    private static let stepByteCount = 256 << 10
    /// The name of all uploads in the budget.
    private static let origin = "upload:"

    package let request: ServiceRequest
    let target: ParsedTarget
    let start: ContinuousClock.Instant
    private let pipeline: ImagePipeline
    private let maxByteCount: Int
    private let expectedByteCount: Int?
    /// The end of waits for the budget: half of the time of the body, so that the client gets a response.
    private let waitDeadline: ContinuousClock.Instant
    /// The end of the time for the body.
    package let deadline: ContinuousClock.Instant
    private let preparation: Preparation
    private let state = Guarded(State())

    init(
        _ request: ServiceRequest,
        _ target: ParsedTarget,
        _ pipeline: ImagePipeline,
        maxByteCount: Int,
        expectedByteCount: Int?,
        timeout: Duration,
        _ preparation: @escaping Preparation
    ) {
        self.preparation = preparation
        (self.request, self.target, self.pipeline) = (request, target, pipeline)
        (self.maxByteCount, self.expectedByteCount) = (maxByteCount, expectedByteCount)
        start = .now
        (waitDeadline, deadline) = (start + timeout / 2, start + timeout)
    }

    /// Returns the requests for results with watermarks, which are loaded once, before the body: an upload
    /// holds no bytes while an origin hangs.
    ///
    /// - Throws: ``WatermarkError``, ``RequestError``, or `CancellationError`.
    func requests() async throws -> TargetRequests {
        if let known = state.withLock(\.requests) { return try known.get() }
        let result: Result<TargetRequests, any Error>
        do {
            result = .success(try await preparation(waitDeadline))
        } catch let error as CancellationError {
            throw error
        } catch {
            result = .failure(error)
        }
        state.withLock { $0.requests = result }
        return try result.get()
    }

    /// Adds bytes of the body, as soon as the budget allows; called by one task at a time.
    ///
    /// - Throws: ``RequestError`` with `bodyTooLarge`, `LoadError` with `overloaded`, or `CancellationError`.
    package func receive(_ bytes: some Collection<UInt8>) async throws {
        let (count, reserved) = state.withLock { ($0.data.count + bytes.count, $0.reservedByteCount) }
        guard count <= maxByteCount else { throw Self.tooLarge(maxByteCount) }
        if reserved == 0, !target.watermarks.isEmpty {
            do { _ = try await requests() } catch let error as CancellationError { throw error } catch {
                // The body may be an original that is returned without watermarks.
            }
        }
        if count > reserved { try await reserve(count) }
        state.withLock { $0.data.append(contentsOf: bytes) }
    }

    private func reserve(_ byteCount: Int) async throws {
        var budget = state.withLock(\.budget)
        if budget == nil {
            let limit = max(.zero, waitDeadline - .now)
            budget = try await pipeline.receivedBytes(of: Self.origin, within: limit)
        }
        // Announced bytes may never arrive, so that they are reserved step by step.
        let wanted = max(byteCount, min(byteCount + Self.stepByteCount, expectedByteCount ?? .max))
        state.withLock { [budget] in $0.budget = budget }
        try await budget?.grow(to: wanted, within: max(.zero, waitDeadline - .now))
        state.withLock { $0.reservedByteCount = wanted }
    }

    static func tooLarge(_ limit: Int) -> RequestError {
        RequestError(.bodyTooLarge, detail: "the body has more than the allowed \(limit) bytes")
    }

    /// The bytes received so far.
    var data: Data { state.withLock(\.data) }

    /// Releases the bytes and their budget.
    func release() {
        let budget = state.withLock { state in
            defer { state = State() }
            return state.budget
        }
        budget?.end()
    }
}
