internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import CalotypeTransforms
internal import FoundationEssentials

/// Admission to decoding and the stages after it: a permit and a budget of pixels (decision 0300).
extension Stages {
    /// Acquires the right to decode data and process the result.
    ///
    /// Data that cannot be decoded needs no budget: the decode reports the error. A file whose header ends a
    /// worker is not decoded.
    ///
    /// - Throws: ``LoadError``, with `overloaded` if too many wait already, or `CancellationError`.
    func admitted(
        _ data: Data,
        as recipe: DecodeRecipe,
        for load: LoadContext
    ) async throws -> Making? {
        guard let making = limits.making else { return nil }
        do {
            let isDrawing = ImageFormat(sniffing: data) == .svg
            return try await making.enter(load.priority, isDrawing: isDrawing) {
                try await workSize(of: data, as: recipe, for: load)
            }
        } catch let error as FetchError {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    /// Acquires the right to make a larger image of one in memory; `nil` if the result is not larger.
    ///
    /// - Throws: ``LoadError``, with `overloaded` if too many wait already, or `CancellationError`.
    func admitted(
        _ image: Image,
        by transforms: TransformChain,
        for load: LoadContext
    ) async throws -> Making? {
        guard let making = limits.making else { return nil }
        let plan = transforms.sizePlan(from: image.size, isDrawn: image.format == .svg)
        guard plan.maxPixelCount > image.size.pixelCount || !plan.rest.isEmpty else { return nil }
        do {
            return try await making.enter(load.priority) { WorkSize(plan, of: image) }
        } catch let error as FetchError {
            throw LoadError(stage: .transform, underlying: error)
        }
    }

    /// Waits for the turn of one of the callers that share a decode.
    ///
    /// - Throws: ``LoadError``, with `overloaded` if too many wait already, or `CancellationError`.
    func inTurn(
        _ making: Making?,
        for load: LoadContext,
        isAdmitted: Bool = false
    ) async throws -> Making? {
        do {
            return try await load.clock.measure(\.queue, by: configuration.now) {
                try await making?.inTurn(load.priority, isAdmitted: isAdmitted)
            }
        } catch let error as FetchError {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    /// Returns the size of a decode; `nil` if the header cannot be read.
    private func workSize(
        of data: Data,
        as recipe: DecodeRecipe,
        for load: LoadContext
    ) async throws -> WorkSize? {
        do {
            let options = recipe.options
            let info = try await info(
                of: data,
                limits: options.limits,
                pages: options.pages,
                frames: options.frames,
                for: load
            )
            let size = recipe.workSize(
                for: info,
                applying: load.request.transforms,
                ownByteCountPerPixel: info.format == .jpeg ? JPEGCoefficients.byteCountPerPixel(of: data) : 0
            )
            return size.adding(overlaysOf: recipe, for: info)
        } catch let error as DecodeError {
            // Decoding would end another worker, after the same time.
            guard Self.endedWorker.contains(error.code) else { return nil }
            var failure = LoadError(decoding: error)
            failure.isOfHeader = true
            throw failure
        }
    }

    /// The budget for bytes from a store, as soon as there is some.
    ///
    /// - Throws: ``LoadError``, with `overloaded` if too many loads wait already, or `CancellationError`.
    func leaseStored(_ byteCount: Int, for load: LoadContext) async throws -> ByteBudget.Lease {
        do {
            return try await limits.stored.lease(byteCount, of: load.request.url.originText, load.priority)
        } catch let error as FetchError {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    private static let endedWorker: [DecodeError.Code] = [.timedOut, .crashed, .memoryExceeded]

    /// Runs a computation on a codec thread, in turn with the codecs.
    ///
    /// - Throws: The error of the closure, or `CancellationError`.
    func compute<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let turn = try await limits.codecTurn(LivePriority(.normal))
        defer { turn.end() }
        return try await codecPool.run { try body() }
    }

    /// The numbers of images in progress and waiting.
    var workload: ImagePipeline.Workload {
        let decodeCount = decodeCount.withLock(\.self)
        guard var workload = limits.making?.workload(decodeCount: decodeCount) else {
            return ImagePipeline.Workload(decodeCount: decodeCount)
        }
        workload.waitingCount += limits.stored.waitingCount
        return workload
    }

    /// A snapshot of the current activity.
    var activity: PipelineActivity {
        PipelineActivity(
            loadCount: loadCount.withLock(\.self),
            loader: configuration.loader.activity,
            codecCount: limits.codecCount,
            waitingCodecCount: limits.waitingCodecCount,
            stuckDecodeCount: codecPool.stuckCount,
            undecodedByteCount: limits.fetching.heldByteCount,
            unwrittenByteCount: limits.writing.heldByteCount,
            waitingBodyCount: limits.fetching.waitingCount
        )
    }
}
