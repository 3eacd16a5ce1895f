internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// Admission to decoding and to everything behind it: a place and room for pixels (decision 0300).
extension ImagePipeline {
    /// The right to decode, and to make something of the result.
    ///
    /// Bytes that cannot be decoded take no room: the decode says why. A file whose header ends a worker is
    /// not decoded.
    ///
    /// - Throws: ``LoadError``, with `overloaded` where too many wait already, or `CancellationError`.
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

    /// The size of a decode; `nil` where its header cannot be read.
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
            // It would end another worker, after as long again.
            guard Self.endedWorker.contains(error.code) else { return nil }
            var failure = LoadError(decoding: error)
            failure.isOfHeader = true
            throw failure
        }
    }

    private static let endedWorker: [DecodeError.Code] = [.timedOut, .crashed, .memoryExceeded]

    /// Computes something on a thread of the codecs, in turn with them.
    ///
    /// - Throws: What the closure throws, or `CancellationError`.
    package func compute<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let turn = try await stages.codecTurn(LivePriority(.normal))
        defer { turn.end() }
        return try await codecPool.run { try body() }
    }

    /// The images that are being made and that wait.
    package var workload: Workload {
        let decodeCount = decodeCount.withLock(\.self)
        return stages.making?.workload(decodeCount: decodeCount) ?? Workload(decodeCount: decodeCount)
    }

    /// How busy a pipeline is.
    package struct Workload: Hashable, Sendable {
        /// Pictures that are being made.
        package var runningCount = 0
        /// Pictures that wait for a place.
        package var waitingCount = 0
        /// Bytes held for pixels, by what was estimated of them.
        package var heldByteCount = 0
        /// The most of them; `nil` where that is not limited.
        package var byteCountMax: Int?
        /// The most pictures that are made at once; `nil` where there is no gate.
        package var runningCountMax: Int?
        /// The most that wait; `nil` where there is no gate.
        package var waitingCountMax: Int?
        /// Pictures that have been begun; 0 where there is no gate.
        package var startedCount = 0
        /// Those of them that have ended, well or not.
        package var endedCount = 0
        /// Decodes that have been begun.
        package var decodeCount = 0
    }
}

/// The size of a decode with the transforms behind it, as far as a header tells.
struct WorkSize: Sendable {
    /// About the bytes that are held at most.
    let byteCount: Int
    /// Whether it may take longer than a few tenths of a second.
    let isLarge: Bool
}

extension DecodeRecipe {
    /// Pixels of JPEG that take a few tenths of a second.
    private static let largeCost = 24e6

    /// How many times as long as JPEG a pixel of a format takes; 2 unless it is here.
    private static let pixelTimes: [ImageFormat: Double] = [.jpeg: 1, .avif: 4, .heic: 4, .jpegXL: 4]

    /// The size of a decode by this recipe.
    ///
    /// The headers of a drawing and of JPEG XL tell nothing of their time.
    func workSize(for info: ImageInfo) -> WorkSize {
        let frameCount = options.frames == .first ? 1 : max(1, info.frameCount)
        let pixelCount = Double(info.size.pixelCount) * Double(frameCount)
        let cost = pixelCount * (Self.pixelTimes[info.format] ?? 2)
        return WorkSize(
            byteCount: workingByteCount(for: info),
            isLarge: info.format == .svg || info.format == .jpegXL || cost > Self.largeCost
        )
    }

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
            case .jpeg: min(Double(full), 4 * Double(result.pixelCount))
            case .webP: Double(result.pixelCount)
            default: Double(full)
            }
        let (shallow, own) = Self.byteCountsPerPixel[info.format] ?? (4, 4)
        let perPixel = options.keepsDepth && info.bitDepth > 8 ? 8.0 : shallow
        // A size may be as large as an integer can be.
        let byteCount =
            Double(full) * own + decoded * perPixel + 2 * Double(result.pixelCount) * perPixel
        return Int(min(byteCount, 1e18))
    }

    /// For each format the bytes of a pixel, and those that its library keeps of the whole image beside it.
    private static let byteCountsPerPixel: [ImageFormat: (pixel: Double, own: Double)] = [
        .jpeg: (3, 0), .png: (4, 0), .gif: (4, 1), .webP: (4, 1), .bmp: (4, 0), .ico: (4, 0),
        // Planes of the picture in the file's own colours.
        .avif: (4, 4), .heic: (4, 4),
        // Floats.
        .jpegXL: (4, 16),
    ]
}
