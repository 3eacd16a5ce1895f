internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// Admission to decoding and the stages after it: a permit and a budget of pixels (decision 0300).
extension ImagePipeline {
    /// Acquires the right to decode data and process the result.
    ///
    /// Data that cannot be decoded needs no budget: the decode reports the error. A file whose header ends a
    /// worker is not decoded.
    ///
    /// - Throws: ``LoadError``, with `overloaded` if too many wait already, or `CancellationError`.
    func admitted(
        _ data: Data,
        _ recipe: DecodeRecipe,
        _ request: ImageRequest,
        _ priority: LivePriority
    ) async throws -> Making? {
        guard let making = stages.making else { return nil }
        do {
            let isDrawing = ImageFormat(sniffing: data) == .svg
            return try await making.enter(priority, isDrawing: isDrawing) {
                try await workSize(of: data, recipe, request, priority)
            }
        } catch let error as FetchError {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    /// Returns the size of a decode; `nil` if the header cannot be read.
    private func workSize(
        of data: Data,
        _ recipe: DecodeRecipe,
        _ request: ImageRequest,
        _ priority: LivePriority
    ) async throws -> WorkSize? {
        let (limits, codecs) = (recipe.options.limits, codecs(for: request))
        do {
            return recipe.workSize(for: try await info(of: data, limits: limits, by: codecs, priority))
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
    func leaseStored(
        _ byteCount: Int,
        of origin: String,
        _ priority: LivePriority
    ) async throws -> ByteBudget.Lease {
        do {
            return try await stages.stored.lease(byteCount, of: origin, priority)
        } catch let error as FetchError {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    private static let endedWorker: [DecodeError.Code] = [.timedOut, .crashed, .memoryExceeded]

    /// Runs a computation on a codec thread, in turn with the codecs.
    ///
    /// - Throws: The error of the closure, or `CancellationError`.
    package func compute<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let turn = try await stages.codecTurn(LivePriority(.normal))
        defer { turn.end() }
        return try await codecPool.run { try body() }
    }

    /// The numbers of images in progress and waiting.
    public var workload: Workload {
        let decodeCount = decodeCount.withLock(\.self)
        guard var workload = stages.making?.workload(decodeCount: decodeCount) else {
            return Workload(decodeCount: decodeCount)
        }
        workload.waitingCount += stages.stored.waitingCount
        return workload
    }

    /// The workload of a pipeline.
    public struct Workload: Hashable, Sendable {
        /// Images in progress.
        public var runningCount = 0
        /// Images that wait for a permit.
        public var waitingCount = 0
        /// The estimated bytes of pixels held.
        public var heldByteCount = 0
        /// The limit for these bytes; `nil` without one.
        public var byteCountMax: Int?
        /// The maximum number of images in progress; `nil` without a gate.
        public var runningCountMax: Int?
        /// The maximum number of waiting images; `nil` without a gate.
        public var waitingCountMax: Int?
        /// Images started so far; 0 without a gate.
        public var startedCount = 0
        /// Images that have ended so far, with or without success.
        public var endedCount = 0
        /// Decodes started so far.
        public var decodeCount = 0

        /// The workload of an idle pipeline.
        package static let idle = Workload()
    }
}

/// The estimated size of a decode and its transforms, derived from a header.
struct WorkSize: Sendable {
    /// The approximate maximum of bytes held.
    let byteCount: Int
    /// True if the decode may take longer than a few tenths of a second.
    let isLarge: Bool
}

extension DecodeRecipe {
    /// The number of JPEG pixels that take a few tenths of a second.
    private static let largeCost = 24e6

    /// The decode time per pixel relative to JPEG; 2 for formats not listed.
    private static let pixelTimes: [ImageFormat: Double] = [.jpeg: 1, .avif: 4, .heic: 4, .jpegXL: 4]

    /// Returns the estimated size of a decode by this recipe.
    ///
    /// Drawings and JPEG XL count as large, because their headers do not reveal the decode time.
    func workSize(for info: ImageInfo) -> WorkSize {
        let frameCount = options.frames == .first ? 1 : max(1, info.frameCount)
        let pixelCount = Double(info.size.pixelCount) * Double(frameCount)
        let cost = pixelCount * (Self.pixelTimes[info.format] ?? 2)
        return WorkSize(
            byteCount: workingByteCount(for: info),
            isLarge: info.format == .svg || info.format == .jpegXL || cost > Self.largeCost
        )
    }

    /// Returns the approximate maximum of bytes held by a decode, its result and its transforms.
    ///
    /// Adds what the codec holds of the whole image, the decoded image, and two images of the result's size.
    func workingByteCount(for info: ImageInfo) -> Int {
        let planned = geometry.isEmpty ? nil : decodeTarget(for: info)
        let target = planned ?? options.target
        let frameCount = options.frames == .first ? 1 : info.frameCount
        let isDrawn = info.format == .svg
        let result =
            isDrawn
            ? target.drawnSize(for: info.size) : target.resultSize(for: info.size, frameCount: frameCount)
        let full = isDrawn ? result.pixelCount : info.size.pixelCount
        // Decoders that scale stop at up to twice the requested side.
        let decoded =
            switch info.format {
            case .jpeg: min(Double(full), 4 * Double(result.pixelCount))
            case .webP: Double(result.pixelCount)
            default: Double(full)
            }
        let (shallow, own) = Self.byteCountsPerPixel[info.format] ?? (4, 4)
        let perPixel = options.keepsDepth && info.bitDepth > 8 ? 8.0 : shallow
        // In floating point, because a side may be as large as an integer can be.
        let byteCount =
            Double(full) * own + decoded * perPixel + 2 * Double(result.pixelCount) * perPixel
        return Int(min(byteCount, 1e18))
    }

    /// For each format the bytes per pixel, and those that its library holds per pixel of the whole image.
    private static let byteCountsPerPixel: [ImageFormat: (pixel: Double, own: Double)] = [
        .jpeg: (3, 0), .png: (4, 0), .gif: (4, 1), .webP: (4, 1), .bmp: (4, 0), .ico: (4, 0),
        // Planes in the file's own colour space.
        .avif: (4, 4), .heic: (4, 4),
        // Floats.
        .jpegXL: (4, 16),
    ]
}
