import CalotypeCodecs
import CalotypeCore

/// The frames of an animation that is encoded, which the program gives one at a time.
final class HostFrames: FrameSource {
    let frameCount: Int
    let loopCount: LoopCount
    fileprivate let ask: @Sendable (Int) throws -> Image
    private let durations: [Duration]

    /// - Parameters:
    ///   - head: What is known of the animation.
    ///   - durations: How long each frame is shown.
    ///   - ask: Asks the program for a frame.
    init(_ head: AnimationHead, durations: [Duration], _ ask: @escaping @Sendable (Int) throws -> Image) {
        (frameCount, loopCount, self.durations, self.ask) = (head.frameCount, head.loopCount, durations, ask)
    }

    var retainedByteCount: Int { 0 }

    func duration(ofFrameAt index: Int) -> Duration { durations[index] }

    func makeDecoder() -> any AnimationDecoder { HostFrameDecoder(self) }
}

private final class HostFrameDecoder: AnimationDecoder {
    private let frames: HostFrames
    private(set) var nextIndex = 0

    init(_ frames: HostFrames) { self.frames = frames }

    func nextFrame() throws -> Image {
        defer { nextIndex += 1 }
        return try frames.ask(nextIndex)
    }

    func seek(toward index: Int) { nextIndex = index }
}

/// Why the program has no such frame, in its words.
struct NoFrame: Error, CustomStringConvertible {
    let description: String
}
