import CalotypeCore
import FoundationEssentials

/// Decodes a deep image while its bytes arrive: previews of 8 bits a channel, and the whole file with its
/// depth at the end.
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

    /// Wraps the decoder that `make` creates in one that retains depth, if the options request that.
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
