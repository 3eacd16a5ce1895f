import CalotypeCore

/// Reads the frames of a sequence: libavif retains the decoder's state between frames.
final class AVIFFrameReader: FrameReader {
    /// Retained because the C reader refers to them.
    private let bytes: EncodedBytes
    private let reader: AVIFReader
    private let color: ColorConversion
    private let keepsDepth: Bool

    init(_ bytes: EncodedBytes, options: DecodeOptions) throws(DecodeError) {
        self.bytes = bytes
        reader = try unsafe AVIFReader(bytes.start, limits: options.limits)
        color = reader.colorTransform(options)
        keepsDepth = options.keepsDepth
    }

    func readFrame(at index: Int) throws(DecodeError) -> Raster {
        try reader.decode(frame: index, keepsDepth: keepsDepth, color: color)
    }

    /// Does nothing: libavif starts at the key frame when a frame out of order is read.
    func move(toKeyFrame index: Int) throws(DecodeError) {}
}
