import CBaselines
import Calotype
import CalotypeTesting
import Foundation

/// Animations played in order from their start, over and over, against the libraries alone.
///
/// A frame of ours is an image of its own; the libraries draw all on one canvas.
enum PlaybackRows {
    static let all = [
        row("playback-gif", "GIF; giflib and composing on a canvas", cb_gif_player_open) {
            try GIFEncoder(dithers: false).encode(try animatedImage())
        },
        row("playback-webp", "WebP; WebPAnimDecoder, which gives RGBA", cb_webp_player_open) {
            try WebPEncoder(effort: 2).encode(try animatedImage())
        },
    ]

    private typealias Opening = @Sendable (UnsafePointer<UInt8>?, Int) -> OpaquePointer?

    private static func row(
        _ name: String,
        _ title: String,
        _ open: @escaping Opening,
        file: @escaping @Sendable () throws -> Data
    ) -> Row {
        Row(name, "frames of an animated \(title)", in: .perSecond, .ratioAtLeast(0.95)) {
            let file = try file()
            return Contest(
                ours: { count in try play(count, of: file) },
                baseline: { count in try play(count, of: file, open) }
            )
        }
    }

    /// Decodes anew for each loop, so that no frame is found in the memory for frames.
    private static func play(_ frameCount: Int, of file: Data) throws {
        var left = frameCount
        while left > 0 {
            guard let animation = try CodecRegistry.standard.decode(file).animation else {
                throw Skipped("the animation is a still")
            }
            let count = min(left, animation.frameCount)
            for index in 0..<count { use(try animation.decodeFrame(at: index)) }
            left -= count
        }
    }

    private static func play(_ frameCount: Int, of file: Data, _ open: Opening) throws {
        try file.withUnsafeBytes { bytes in
            var left = frameCount
            while left > 0 {
                guard let player = open(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) else {
                    throw Skipped("the baseline does not open the animation")
                }
                defer { cb_player_close(player) }
                let before = left
                while left > 0, let canvas = cb_player_next(player) {
                    use(canvas)
                    left -= 1
                }
                guard left < before else { throw Skipped("the baseline does not play the animation") }
            }
        }
    }

    private static func animatedImage() throws -> Image {
        let backdrop = try SamplePictures.image(width: 480)
        let source = WanderingFrames(backdrop: backdrop)
        let first = source.frame(at: 0)
        return Image(
            size: first.size,
            pixelFormat: first.pixelFormat,
            pixels: first.pixels,
            animation: Animation(source: source, firstFrame: first)
        )
    }
}

/// A photograph over which its own lower left quarter wanders.
private struct WanderingFrames: FrameSource {
    let backdrop: Image
    let frameCount = 24
    let loopCount = LoopCount.infinite
    var retainedByteCount: Int { backdrop.pixels.byteCount }

    func duration(ofFrameAt index: Int) -> Duration { .milliseconds(40) }

    func makeDecoder() -> any AnimationDecoder { Decoder(source: self) }

    func frame(at index: Int) -> Image {
        let (size, step) = (backdrop.size, backdrop.pixelFormat.bytesPerPixel)
        let (width, height) = (size.width / 2, size.height / 2)
        let left = index * (size.width - width) / frameCount
        let top = index * (size.height - height) / frameCount
        let pixels = PixelBuffer(byteCount: backdrop.pixels.byteCount) { target in
            backdrop.pixels.withUnsafeBytes { source in
                target.copyMemory(from: source)
                for y in 0..<height {
                    let from = (size.height - height + y) * backdrop.bytesPerRow
                    let to = (top + y) * backdrop.bytesPerRow + left * step
                    UnsafeMutableRawBufferPointer(rebasing: target[to..<to + width * step])
                        .copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: source[from..<from + width * step])
                        )
                }
            }
        }
        return Image(size: size, pixelFormat: backdrop.pixelFormat, pixels: pixels)
    }

    private final class Decoder: AnimationDecoder {
        private let source: WanderingFrames
        private(set) var nextIndex = 0

        init(source: WanderingFrames) {
            self.source = source
        }

        func nextFrame() -> Image {
            defer { nextIndex += 1 }
            return source.frame(at: nextIndex)
        }

        func seek(toward index: Int) { nextIndex = index }
    }
}
