import CalotypeCore
import CalotypeTransforms
import FoundationEssentials

/// Transforms that run in a worker.
struct WorkerTransforms: TransformProcesses {
    let pool: WorkerPool
    let maxDuration: Duration

    func apply(_ steps: TransformMessage, to image: Image) throws(TransformError) -> Image {
        var metadata = image.metadata
        if steps.convertsToSRGB { metadata.colorSpace = .sRGB }
        return try run(Job.transform, steps, image) { [metadata] outcome throws(JobFailure) in
            if case .nothing = outcome.answer {
                guard metadata != image.metadata else { return image.firstFrame }
                return image.replacing(animation: nil, metadata: metadata)
            }
            guard case .image(let head) = outcome.answer else { return nil }
            try check(ResultLimit.allows(head.size, of: image.size), "more pixels than the limit")
            return Image(
                size: head.size,
                pixelFormat: head.pixelFormat,
                pixels: try outcome.pixels(byteCount: head.byteCount, at: head.pixelOffset),
                scale: image.scale,
                format: image.format,
                metadata: metadata
            )
        }
    }

    func part(of image: Image, by step: TransformMessage) throws(TransformError) -> PixelRect {
        try run(Job.part, step, image) { outcome throws(JobFailure) in
            guard case .part(let part) = outcome.answer else { return nil }
            try check(part.clipped(to: image.size) == part, "a rectangle outside the image")
            return part
        }
    }

    private func run<Value>(
        _ job: (ImageHead) -> Job,
        _ steps: TransformMessage,
        _ image: Image,
        _ take: (WorkerProcess.Outcome) throws(JobFailure) -> Value?
    ) throws(TransformError) -> Value {
        let message = try TransformTable.encode(steps)
        var (head, inputs) = (ImageHead(image), [Payload.data(message), .pixels(image.pixels)])
        if steps.convertsToSRGB, case .icc(let profile) = image.colorSpace, !profile.isEmpty {
            head.profileByteCount = profile.count
            inputs.append(.data(profile))
        }
        let result: Result<Value, TransformError>
        do throws(JobFailure) {
            result = try pool.run(
                job(head),
                atMost: maxDuration,
                inputs: { _ in inputs },
                { outcome throws(JobFailure) in
                    if case .failure(let label, _, let detail) = outcome.answer {
                        return .failure(try transformError(label, detail))
                    }
                    guard let value = try take(outcome) else {
                        throw .crashed("the worker sent an unexpected response type")
                    }
                    return .success(value)
                }
            )
        } catch {
            throw error.transformError
        }
        return try result.get()
    }

    private func transformError(_ label: String, _ detail: String) throws(JobFailure) -> TransformError {
        guard let code = TransformError.Code(label: label) else {
            throw .crashed("the worker sent an unknown error code")
        }
        // The worker's memory limit was reached, not the machine's.
        if code == .outOfMemory { throw .memoryExceeded }
        return TransformError(code, detail: detail)
    }
}
