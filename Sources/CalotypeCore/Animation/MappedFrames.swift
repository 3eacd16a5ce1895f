/// The frames of another source, each transformed after decoding.
struct MappedFrames: FrameSource {
    let base: any FrameSource
    let transform: @Sendable (Image) throws -> Image

    var frameCount: Int { base.frameCount }
    var loopCount: LoopCount { base.loopCount }
    var retainedByteCount: Int { base.retainedByteCount }
    var maxDecodeDuration: Duration { base.maxDecodeDuration }

    func duration(ofFrameAt index: Int) -> Duration {
        base.duration(ofFrameAt: index)
    }

    func makeDecoder() throws -> any AnimationDecoder {
        MappedDecoder(base: try base.makeDecoder(), transform: transform)
    }
}

private final class MappedDecoder: AnimationDecoder {
    private let base: any AnimationDecoder
    private let transform: @Sendable (Image) throws -> Image

    init(base: any AnimationDecoder, transform: @escaping @Sendable (Image) throws -> Image) {
        self.base = base
        self.transform = transform
    }

    var nextIndex: Int { base.nextIndex }

    func nextFrame() throws -> Image {
        try transform(try base.nextFrame())
    }

    func seek(toward index: Int) throws {
        try base.seek(toward: index)
    }
}
