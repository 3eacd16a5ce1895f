package import CalotypeCodecs
package import CalotypeCore

/// The processes that apply transforms outside this process: those of a registry's codecs.
package protocol TransformProcesses: CodecProcesses {
    /// Applies transforms, one after another.
    ///
    /// - Throws: ``TransformError``, also for a transform that ``TransformTable`` cannot encode.
    func apply(_ steps: TransformMessage, to image: Image) throws(TransformError) -> Image

    func part(of image: Image, by step: TransformMessage) throws(TransformError) -> PixelRect
}

extension CodecRegistry {
    /// The place for transforms of images that these codecs decode; `nil` for in process.
    package var transformPlace: (any TransformProcesses)? { place as? any TransformProcesses }
}

/// Applies transforms at a place; in process if there is none, or for transforms of the application.
struct StepRunner {
    let place: (any TransformProcesses)?

    func apply(_ steps: [any ImageTransform], to image: Image) throws -> Image {
        let steps = try steps.map { try ($0 as? any OverlayScaling)?.decoded() ?? $0 }
        var (result, rest) = (image, steps.adapted(to: image.colorSpace)[...])
        while let next = rest.first {
            if let place, let message = TransformMessage(leading: rest, of: result.size) {
                result = try place.apply(message, to: result)
                rest.removeFirst(message.count)
            } else {
                result = try next.apply(toAnyDepth: result)
                rest.removeFirst()
            }
        }
        return result
    }

    /// Applies transforms to a frame of an animation.
    ///
    /// - Parameters:
    ///   - steps: The transforms as resolved for the first frame.
    ///   - frame: The frame.
    ///   - sizes: The size of the first frame, and of its result.
    /// - Returns: The transformed frame.
    /// - Throws: ``TransformError`` with `crashed` if a place returns a frame of another size, which cannot
    ///   be played.
    func apply(
        _ steps: [any ImageTransform],
        toFrame frame: Image,
        sizes: (PixelSize, PixelSize)
    ) throws -> Image {
        let result = try apply(steps, to: frame)
        guard place == nil || frame.size != sizes.0 || result.size == sizes.1 else {
            throw TransformError(
                .crashed,
                detail: "the worker returned a frame of \(result.size) pixels instead of \(sizes.1)"
            )
        }
        return result
    }

    func resolved(_ step: any ImageTransform, for frame: Image) throws -> any ImageTransform {
        if let step = step as? any OverlayScaling {
            let step = try step.decoded()
            guard let (image, size) = try step.scaling(on: frame.size) else {
                return try step.clipped(to: frame.size)
            }
            let scaled = step.with(scaled: try apply(TransformChain.resize(to: size).steps, to: image))
            return try scaled.clipped(to: frame.size)
        }
        guard let step = step as? any FrameDependentTransform else { return step }
        if let place, let message = TransformMessage(leading: [step], of: frame.size) {
            return Crop(region: .rect(try place.part(of: frame, by: message)))
        }
        return try step.resolved(for: frame)
    }
}
