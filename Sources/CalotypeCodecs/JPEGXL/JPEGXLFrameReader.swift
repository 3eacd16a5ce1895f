import CCodecs
import CalotypeCore

/// Decodes the frames of an animation, each composited onto earlier ones by the library.
final class JPEGXLFrameReader: FrameReader {
    private let bytes: EncodedBytes
    private let reader: JPEGXLReader
    private let header: cc_jxl_header

    /// Reads the header; the reader is then at the first frame.
    init(_ bytes: EncodedBytes, options: DecodeOptions) throws(DecodeError) {
        self.bytes = bytes
        reader = try JPEGXLReader(options)
        header = try unsafe reader.readHeader(bytes.start)
    }

    func readFrame(at index: Int) throws(DecodeError) -> Raster {
        try unsafe reader.readFrame(bytes.start, header)
    }

    /// The library determines itself which frames the one at `index` depends on.
    func move(toKeyFrame index: Int) throws(DecodeError) {
        try reader.move(to: index)
    }
}
