public import CalotypeCore
internal import CalotypeSupport
public import FoundationEssentials

/// Marks a place outside this process where codecs run; `TransformProcesses` refines it.
package protocol CodecProcesses: Sendable {}

/// The codecs of a program: an ordered value, in which the last one registered is tried first.
public struct CodecRegistry: Sendable {
    /// The decoders with their formats, which are read once.
    private var decoders: [(decoder: any ImageDecoder, formats: [ImageFormat])] = []
    private var encoders: [any ImageEncoder] = []

    /// Creates an empty registry.
    public init() {}

    /// Adds a decoder, which is tried before the existing ones.
    public mutating func register(_ decoder: some ImageDecoder) {
        decoders.append((decoder, decoder.formats))
    }

    /// Adds an encoder, which replaces an earlier one for its format.
    public mutating func register(_ encoder: some ImageEncoder) {
        encoders.append(encoder)
    }

    /// Wraps encoders that no registry provides, such as those of a request, for the place; `nil` for in
    /// process.
    private var encoderPlace: (@Sendable (any ImageEncoder) -> any ImageEncoder)?

    /// The place outside this process where the codecs run; `nil` for in process.
    package private(set) var place: (any CodecProcesses)?

    /// Returns the same codecs, run at a place outside this process.
    ///
    /// - Parameters:
    ///   - place: The place.
    ///   - decoder: Returns the wrapper for a decoder.
    ///   - encoder: Returns the wrapper for an encoder, with the same identity.
    /// - Returns: The registry of the wrappers.
    package func placed(
        at place: any CodecProcesses,
        decoder: (any ImageDecoder) -> any ImageDecoder,
        encoder: @escaping @Sendable (any ImageEncoder) -> any ImageEncoder
    ) -> CodecRegistry {
        var registry = self
        registry.decoders = decoders.map { (decoder($0.decoder), $0.formats) }
        registry.encoders = encoders.map(encoder)
        registry.encoderPlace = encoder
        registry.place = place
        return registry
    }

    /// Wraps an encoder for the place of this registry's codecs.
    package func placed(_ encoder: any ImageEncoder) -> any ImageEncoder { encoderPlace?(encoder) ?? encoder }

    func withoutUnboundedDecoders() -> CodecRegistry {
        var registry = self
        registry.decoders.removeAll { !$0.decoder.isBounded }
        return registry
    }

    /// Returns the encoder for a format with default settings; `nil` if none is registered.
    public func encoder(for format: ImageFormat) -> (any ImageEncoder)? {
        encoders.last { $0.format == format }
    }

    package func hasDecoder(for format: ImageFormat) -> Bool {
        decoders.contains { $0.formats.contains(format) }
    }

    /// Reads the header of an encoded image.
    ///
    /// - Throws: `DecodeError`.
    public func info(of data: Data, limits: DecodeLimits = DecodeLimits()) throws(DecodeError) -> ImageInfo {
        let (decoder, _) = try match(data, limits: limits)
        return try WorkStop.limiting(to: limits.maxDuration) { () throws(DecodeError) in
            try DecodeError.checkStop()
            return try decoder.info(of: data, limits: limits)
        }
    }

    /// Decodes an image.
    ///
    /// Blocks while it works. After the time limit, it returns at the next row or frame, or when the current
    /// call of the library ends. Pipelines and caches do not wait for that.
    ///
    /// - Throws: `DecodeError`, without pixels. Damage is an error, unless the options allow partial images.
    public func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws(DecodeError) -> Image {
        try options.target.checkRoom()
        if options.pages != nil {
            try options.limits.checkInput(data)
            let shown = try WorkStop.limiting(to: options.limits.maxDuration) { () throws(DecodeError) in
                try decodePages(data, options: options)
            }
            if let shown { return shown }
        }
        let (decoder, format) = try match(data, limits: options.limits)
        let image = try WorkStop.limiting(to: options.limits.maxDuration) { () throws(DecodeError) in
            try DecodeError.checkStop()
            return try decoder.decode(data, as: format, options: options)
        }
        let whole = image.decoded(from: data, as: format, keepsMetadata: options.keepsMetadata)
        guard options.keepsGainMap, format == .jpeg,
            let map = gainMap(of: data, for: whole, options: options)
        else { return whole }
        var metadata = whole.metadata
        metadata.gainMap = map
        return whole.replacing(animation: nil, metadata: metadata)
    }

    /// Makes a decoder for bytes that are still arriving; `nil` if the format does not support it.
    ///
    /// - Parameters:
    ///   - head: The first bytes of the image, at least 64 if there are as many; they have to be appended
    ///     too.
    ///   - options: The options of the decode.
    /// - Returns: A decoder before the first byte.
    public func makeIncrementalDecoder(
        forHead head: Data,
        options: DecodeOptions = DecodeOptions()
    ) -> (any IncrementalDecoder)? {
        guard options.target.fitsOnePixel, options.pages == nil, let (decoder, format) = match(head) else {
            return nil
        }
        return WideGamutDecoder.wrapping(decoder, format, options)
    }

    /// Decodes the small preview image in a file: the thumbnail of JPEG, HEIC and TIFF, or a preview of a
    /// camera raw; `nil` without one.
    ///
    /// Reads few bytes, so that the preview can be shown while the rest arrives. It has the content and
    /// orientation of the image, in a size of its own, which is at most the target's. Blocks.
    ///
    /// - Parameters:
    ///   - head: The available bytes from the beginning of the file; usually some kilobytes suffice.
    ///   - options: The options of the decode; frames and damage are ignored.
    /// - Returns: The preview image; `nil` also if it has not arrived.
    /// - Throws: `DecodeError` if the preview is damaged or exceeds the limits.
    public func thumbnail(
        in head: Data,
        options: DecodeOptions = DecodeOptions()
    ) throws(DecodeError) -> Image? {
        try options.target.checkRoom()
        guard options.pages == nil, let (decoder, _) = match(head) else { return nil }
        return try WorkStop.limiting(to: options.limits.maxDuration) { () throws(DecodeError) in
            try DecodeError.checkStop()
            return try decoder.thumbnail(in: head, options: options)
        }
    }

    private func match(
        _ data: Data,
        limits: DecodeLimits
    ) throws(DecodeError) -> (decoder: any ImageDecoder, format: ImageFormat) {
        try limits.checkInput(data)
        if let match = match(data) { return match }
        guard let sniffed = ImageFormat(sniffing: data) else {
            throw DecodeError(
                .unrecognizedFormat,
                detail: "the first bytes match no known image format"
            )
        }
        throw DecodeError(
            .unsupportedFeature,
            format: sniffed,
            detail: sniffed.absence(of: "decoder")
        )
    }

    /// Returns the first decoder that recognizes the bytes; the last one registered is tried first.
    private func match(_ data: Data) -> (decoder: any ImageDecoder, format: ImageFormat)? {
        let sniffed = ImageFormat(sniffing: data)
        for (decoder, formats) in decoders.reversed() {
            if let sniffed, formats.contains(sniffed) { return (decoder, sniffed) }
            if let format = decoder.recognizes(data) { return (decoder, format) }
        }
        return nil
    }
}

extension Image {
    /// Returns the image with the size and the Exif fields of its file in the metadata.
    fileprivate func decoded(from file: Data, as format: ImageFormat, keepsMetadata: Bool) -> Image {
        var metadata = metadata
        metadata.encodedByteCount = file.count
        if metadata.exif == nil {
            metadata.exif = ExifBlock.block(of: file, format: format).flatMap { Exif(block: $0) }
        }
        if keepsMetadata { metadata.blocks = MetadataBlocks(of: file, format: format) }
        return replacing(animation: animation, metadata: metadata)
    }
}
