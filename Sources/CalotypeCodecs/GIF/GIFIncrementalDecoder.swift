import CalotypeCore
import FoundationEssentials

/// Parses the blocks of a GIF file while they arrive, and shows the complete frames: the first, then a
/// growing animation.
///
/// giflib cannot pause within a frame, so an append only parses blocks, and pixels are decoded on demand.
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
        // Bytes after the trailer are ignored.
        guard !scanner.isAtEnd else { return }
        _ = try file.append(chunk)
        do throws(DecodeError) {
            try scanner.scan(file.data.span)
        } catch {
            throw file.failed(error)
        }
    }

    /// With a target in bytes for all frames, the size of the result is unknown until their number is known.
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
