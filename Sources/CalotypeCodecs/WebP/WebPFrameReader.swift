import CCodecs
import CalotypeCore

/// Composites the frames of a WebP file, with memory for the canvas of the previous frame.
final class WebPFrameReader: FrameReader {
    private let file: WebPFile
    private let bytes: EncodedBytes
    private let first: DecodedCanvas?
    private let color: ColorConversion
    /// In stored colours: colours are converted after frames have been blended.
    private var canvas: Raster?

    init(_ file: WebPFile, _ bytes: EncodedBytes, first: DecodedCanvas?, convertsToSRGB: Bool) {
        self.file = file
        self.bytes = bytes
        self.first = first
        color = unsafe file.colorTransform(bytes.start, isWanted: convertsToSRGB)
    }

    func readFrame(at index: Int) throws(DecodeError) -> Raster {
        let drawn =
            if index == 0, let raster = first?.raster {
                raster
            } else {
                try unsafe file.draw(index, over: canvas, in: bytes.start)
            }
        canvas = drawn
        return try drawn.converted(by: color)
    }

    /// Before a key frame the canvas is empty, or will be covered completely.
    func move(toKeyFrame index: Int) {
        canvas = nil
    }
}
