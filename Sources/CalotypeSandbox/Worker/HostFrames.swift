import CalotypeCodecs
import CalotypeCore

/// The frames of an animation to encode, requested from the program one at a time.
final class HostFrames: FrameSource {
    let frameCount: Int
    let loopCount: LoopCount
    fileprivate let ask: @Sendable (Int) throws -> Image
    private let durations: [Duration]

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

/// The program's reason for having no such frame.
struct NoFrame: Error, CustomStringConvertible {
    let description: String
}
