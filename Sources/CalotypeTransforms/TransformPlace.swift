package import CalotypeCodecs
package import CalotypeCore

/// Where transforms are done, if not in process: where the codecs of a registry work.
package protocol TransformPlace: CodecPlace {
    /// Applies transforms, one after the other.
    ///
    /// - Throws: ``TransformError``.
    func apply(_ steps: TransformMessage, to image: Image) throws(TransformError) -> Image

    /// The part of a picture that a transform leaves.
    ///
    /// - Throws: ``TransformError``.
    func part(of image: Image, by step: TransformMessage) throws(TransformError) -> PixelRect
}

extension CodecRegistry {
    /// Where transforms of what these codecs decode are done; `nil` in process.
    package var transformPlace: (any TransformPlace)? { place as? any TransformPlace }
}

/// Does transforms at a place, or in process where there is none, or they are of a program's own.
struct StepRunner {
    let place: (any TransformPlace)?

    /// Applies transforms, one after the other.
    func apply(_ steps: [any ImageTransform], to image: Image) throws -> Image {
        var (result, rest) = (image, steps[...])
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
    ///   - steps: The transforms, as they have been resolved for the first frame.
    ///   - frame: The frame.
    ///   - sizes: The size of the first frame, and what has become of it.
    /// - Returns: What becomes of the frame.
    /// - Throws: ``TransformError`` with `crashed` where a place makes a frame of another size, which cannot
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
                detail: "a frame of \(sizes.1) pixels has become one of \(result.size)"
            )
        }
        return result
    }

    /// What a transform does with a picture, as one that looks at nothing.
    func resolved(_ step: any ImageTransform, for frame: Image) throws -> any ImageTransform {
        guard let step = step as? any FrameDependentTransform else { return step }
        if let place, let message = TransformMessage(leading: [step], of: frame.size) {
            return Crop(region: .rect(try place.part(of: frame, by: message)))
        }
        return try step.resolved(for: frame)
    }
}
