package import CalotypeCore

/// Frames of an animation from memory.
package struct StillFrames: FrameSource {
    private final class Decoder: AnimationDecoder {
        private let images: [Image]
        private(set) var nextIndex = 0

        init(_ images: [Image]) {
            self.images = images
        }

        func nextFrame() -> Image {
            defer { nextIndex += 1 }
            return images[nextIndex]
        }

        func seek(toward index: Int) { nextIndex = index }
    }

    package let images: [Image]
    package let durations: [Duration]
    package let loopCount: LoopCount

    /// Creates a source of frames.
    ///
    /// - Parameters:
    ///   - images: The frames, at least one.
    ///   - durations: Their durations; repeated if there are fewer than frames.
    ///   - loopCount: The loop count of the animation.
    package init(
        _ images: [Image],
        durations: [Duration] = [.milliseconds(50)],
        loopCount: LoopCount = .infinite
    ) {
        (self.images, self.durations, self.loopCount) = (images, durations, loopCount)
    }

    package var frameCount: Int { images.count }
    package var retainedByteCount: Int { 0 }

    package func duration(ofFrameAt index: Int) -> Duration { durations[index % durations.count] }

    package func makeDecoder() -> any AnimationDecoder { Decoder(images) }

    /// The first frame with all frames as its animation.
    package var image: Image { images[0].replacing(animation: Animation(source: self)) }
}
