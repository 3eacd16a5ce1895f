import CalotypeCore

/// Reads the frames of a sequence: libavif keeps the decoder's state from one to the next.
final class AVIFFrames: FrameReader {
    /// Retained, since the reader reads them.
    private let bytes: EncodedBytes
    private let reader: AVIFReader
    private let color: ColorTransform
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

    /// Nothing to do: libavif starts at the key frame when a frame is read that is not the next.
    func move(toKeyFrame index: Int) throws(DecodeError) {}
}
