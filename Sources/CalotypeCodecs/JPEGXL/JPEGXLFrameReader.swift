import CCodecs
import CalotypeCore

/// Decodes the frames of an animation, each composited onto those before it by the library.
final class JPEGXLFrameReader: FrameReader {
    private let bytes: EncodedBytes
    private let reader: JPEGXLReader
    private let header: cc_jxl_header

    /// Reads the header; stands before the first frame then.
    init(_ bytes: EncodedBytes, options: DecodeOptions) throws(DecodeError) {
        self.bytes = bytes
        reader = try JPEGXLReader(options)
        header = try unsafe reader.readHeader(bytes.start)
    }

    func readFrame(at index: Int) throws(DecodeError) -> Raster {
        try unsafe reader.readFrame(bytes.start, header)
    }

    /// The library finds out by itself which frames the one at `index` is built on.
    func move(toKeyFrame index: Int) throws(DecodeError) {
        try reader.move(to: index)
    }
}
