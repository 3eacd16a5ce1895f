internal import CalotypeCodecs
internal import CalotypeCore
package import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// What work waits for before it begins, where it is limited: a place, and room for its pixels (decision
/// 0142).
extension ImagePipeline {
    /// A place among what is made at once, where that is limited.
    ///
    /// - Throws: ``LoadError`` with `overloaded` where too many wait already, or `CancellationError`.
    package func placeForWork(_ priority: LivePriority) async throws -> AdmissionGate.Permit? {
        do {
            return try await configuration.workGate?.enter(priority)
        } catch let error as FetchError {
            throw LoadError(stage: .load, underlying: error)
        }
    }

    /// Room for what a decode and the transforms behind it hold, where that is limited.
    ///
    /// What cannot be decoded takes none: the decode says why. What already its header ends is not decoded.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    func leaseToDecode(
        _ data: Data,
        _ recipe: DecodeRecipe,
        _ request: ImageRequest,
        _ priority: LivePriority
    ) async throws -> ByteBudget.Lease? {
        guard let workBudget else { return nil }
        let byteCount: Int
        do {
            let info = try await info(
                of: data,
                limits: recipe.options.limits,
                by: codecs(for: request),
                priority
            )
            byteCount = recipe.workingByteCount(for: info)
        } catch let error as DecodeError {
            // It would end another worker, after as long again.
            if Self.endedWorker.contains(error.code) { throw LoadError(decoding: error) }
            return nil
        }
        return try await workBudget.lease(byteCount, priority)
    }

    private static let endedWorker: [DecodeError.Code] = [.timedOut, .crashed, .memoryExceeded]

    /// Computes something on a thread of the codecs, in turn with them.
    ///
    /// - Throws: What the closure throws, or `CancellationError`.
    package func compute<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let permit = try await codecGate.enter(LivePriority(.normal))
        defer { permit.end() }
        return try await codecPool.run { try body() }
    }

    /// What is being made, and what waits to be.
    package var workload: Workload {
        Workload(
            runningCount: configuration.workGate?.runningCount ?? 0,
            waitingCount: configuration.workGate?.waitingCount ?? 0,
            heldByteCount: workBudget?.heldByteCount ?? 0,
            byteCountMax: configuration.workByteCountMax,
            runningCountMax: configuration.workGate?.countMax,
            waitingCountMax: configuration.workGate?.waitingCountMax,
            startedCount: configuration.workGate?.startedCount ?? 0,
            endedCount: configuration.workGate?.endedCount ?? 0,
            decodeCount: decodeCount.withLock(\.self)
        )
    }

    /// How busy a pipeline is.
    package struct Workload: Hashable, Sendable {
        /// Pictures that are being made.
        package let runningCount: Int
        /// Pictures that wait for a place.
        package let waitingCount: Int
        /// Bytes held for pixels, by what was estimated of them.
        package let heldByteCount: Int
        /// The most of them; `nil` where that is not limited.
        package let byteCountMax: Int?
        /// The most pictures that are made at once; `nil` where there is no gate.
        package let runningCountMax: Int?
        /// The most that wait; `nil` where there is no gate.
        package let waitingCountMax: Int?
        /// Pictures that have been begun; 0 where there is no gate.
        package let startedCount: Int
        /// Those of them that have ended, well or not.
        package let endedCount: Int
        /// Decodes that have been begun.
        package let decodeCount: Int
    }
}

extension DecodeRecipe {
    /// About how many bytes a decode holds at most, with its result and what transforms make of it: what the
    /// codec keeps of the whole image, the decoded image, and one more of its size.
    func workingByteCount(for info: ImageInfo) -> Int {
        let planned = geometry.isEmpty ? nil : decodeTarget(for: info)
        let target = planned ?? options.target
        let frameCount = options.frames == .first ? 1 : info.frameCount
        let isDrawn = info.format == .svg
        let result =
            isDrawn
            ? target.drawnSize(for: info.size) : target.resultSize(for: info.size, frameCount: frameCount)
        let full = isDrawn ? result.pixelCount : info.size.pixelCount
        // Decoders that scale by themselves stop at up to twice the side that is asked for.
        let decoded =
            switch info.format {
            case .jpeg: min(full, 4 * result.pixelCount)
            case .webP: result.pixelCount
            default: full
            }
        let (shallow, own) = Self.byteCountsPerPixel[info.format] ?? (4, 4)
        let perPixel = options.keepsDepth && info.bitDepth > 8 ? 8 : shallow
        return full * own + decoded * perPixel + 2 * result.pixelCount * perPixel
    }

    /// For each format the bytes of a pixel, and those that its library keeps of the whole image beside it.
    private static let byteCountsPerPixel: [ImageFormat: (pixel: Int, own: Int)] = [
        .jpeg: (3, 0), .png: (4, 0), .gif: (4, 1), .webP: (4, 1), .bmp: (4, 0), .ico: (4, 0),
        // Planes of the picture in the file's own colours.
        .avif: (4, 4), .heic: (4, 4),
        // Floats.
        .jpegXL: (4, 16),
    ]
}
