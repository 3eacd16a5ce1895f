import CalotypeCore
import FoundationEssentials

/// Follows the blocks of a GIF file while they arrive, and shows the frames that are whole: the first, then
/// an animation that grows.
///
/// giflib cannot stop within a frame and go on later, so an append looks at the blocks only, and pixels are
/// decoded when somebody asks for them.
final class GIFIncrementalDecoder: IncrementalDecoder {
    private let options: DecodeOptions
    private var file: ArrivingFile
    private var scanner: GIFScanner
    private var shownFrameCount = 0

    init(options: DecodeOptions) {
        self.options = options
        file = ArrivingFile(.gif, limits: options.limits)
        scanner = GIFScanner(limits: options.limits)
    }

    func append(_ chunk: Data) throws(DecodeError) {
        // What comes behind the trailer is of no use.
        guard !scanner.isAtEnd else { return }
        _ = try file.append(chunk)
        do throws(DecodeError) {
            try scanner.scan(file.data.span)
        } catch {
            throw file.failed(error)
        }
    }

    /// The size of a result that all frames are to fit into is not known before their number is.
    func preview() throws(DecodeError) -> ImagePreview? {
        try file.check()
        let frameCount =
            options.frames == .all ? scanner.layout.frames.count : min(1, scanner.layout.frames.count)
        guard frameCount > shownFrameCount else { return nil }
        if case .fitBytes = options.target, options.frames == .all { return nil }
        shownFrameCount = frameCount
        var part = scanner.layout
        part.frames.removeSubrange(frameCount...)
        part.isPart = true
        let image = try part.image(from: file.data, options: options)
        return ImagePreview(image: image, rowCount: image.size.height)
    }

    func finish() throws(DecodeError) -> Image {
        try file.checkEnd()
        try scanner.finish()
        return try scanner.layout.image(from: file.data, options: options)
    }
}
