import CalotypeCore
import FoundationEssentials

/// Decodes what keeps its depth while its bytes arrive: previews of 8 bits a channel, and at the end all of
/// the file.
final class StoredDepthDecoder: IncrementalDecoder {
    private let decoder: any ImageDecoder
    private let previews: any IncrementalDecoder
    private let options: DecodeOptions
    private var file = Data()

    private init(_ decoder: any ImageDecoder, _ previews: any IncrementalDecoder, _ options: DecodeOptions) {
        self.decoder = decoder
        self.previews = previews
        self.options = options
    }

    /// The decoder that `make` makes, within one that keeps depth where the options want that.
    static func wrapping(
        _ decoder: any ImageDecoder,
        _ options: DecodeOptions,
        _ make: (DecodeOptions) -> any IncrementalDecoder
    ) -> any IncrementalDecoder {
        guard options.keepsDepth else { return make(options) }
        var shallow = options
        shallow.keepsDepth = false
        return StoredDepthDecoder(decoder, make(shallow), options)
    }

    func append(_ chunk: Data) throws(DecodeError) {
        try previews.append(chunk)
        file.append(chunk)
    }

    func preview() throws(DecodeError) -> ImagePreview? { try previews.preview() }

    func finish() throws(DecodeError) -> Image { try decoder.decode(file, options: options) }
}
