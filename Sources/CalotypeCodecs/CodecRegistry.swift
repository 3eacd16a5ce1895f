public import CalotypeCore
internal import CalotypeSupport
public import FoundationEssentials

/// Where codecs work, if not in process; what else is done there, those know who do it.
package protocol CodecPlace: Sendable {}

/// The codecs that a program uses: an ordered value, the last registered is asked first.
public struct CodecRegistry: Sendable {
    /// Each with its formats, which are asked for once.
    private var decoders: [(decoder: any ImageDecoder, formats: [ImageFormat])] = []
    private var encoders: [any ImageEncoder] = []

    /// Creates a registry without any codec.
    public init() {}

    /// Adds a decoder, to be asked before those that are there.
    public mutating func register(_ decoder: some ImageDecoder) {
        decoders.append((decoder, decoder.formats))
    }

    /// Adds an encoder, which becomes the one for its format.
    public mutating func register(_ encoder: some ImageEncoder) {
        encoders.append(encoder)
    }

    /// Where encoders work that no registry has given, such as those of a request; in place unless set.
    private var encoderPlace: (@Sendable (any ImageEncoder) -> any ImageEncoder)?

    /// Where its codecs work, if not in process.
    package private(set) var place: (any CodecPlace)?

    /// The same codecs, each at work elsewhere: in other processes, say.
    ///
    /// - Parameters:
    ///   - place: Where that is.
    ///   - decoder: Makes the decoder that stands for one.
    ///   - encoder: Makes the encoder that stands for one; it has the same identity.
    /// - Returns: The registry of those.
    package func placed(
        at place: any CodecPlace,
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

    /// The encoder at the place where those of this registry work.
    package func placed(_ encoder: any ImageEncoder) -> any ImageEncoder { encoderPlace?(encoder) ?? encoder }

    func withoutUnboundedDecoders() -> CodecRegistry {
        var registry = self
        registry.decoders.removeAll { !$0.decoder.isBounded }
        return registry
    }

    /// The encoder that serves a format when no other settings are named, or `nil`.
    public func encoder(for format: ImageFormat) -> (any ImageEncoder)? {
        encoders.last { $0.format == format }
    }

    /// Whether a decoder for the format is registered.
    package func hasDecoder(for format: ImageFormat) -> Bool {
        decoders.contains { $0.formats.contains(format) }
    }

    /// Reads what the header of an encoded image tells.
    ///
    /// - Throws: `DecodeError`.
    public func info(of data: Data, limits: DecodeLimits = DecodeLimits()) throws(DecodeError) -> ImageInfo {
        let (decoder, _) = try match(data, limits: limits)
        return try WorkStop.limiting(to: limits.durationMax) { () throws(DecodeError) in
            try DecodeError.checkStop()
            return try decoder.info(of: data, limits: limits)
        }
    }

    /// Decodes an image.
    ///
    /// Blocks while it works: where the time of the limits is up, until the next row or frame, or until the
    /// library has done all that it does at once. Pipelines and caches do not wait for that.
    ///
    /// - Throws: `DecodeError`; then there are no pixels. Damage is one, unless the options want what there
    ///   is.
    public func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws(DecodeError) -> Image {
        try options.target.checkRoom()
        let (decoder, format) = try match(data, limits: options.limits)
        let image = try WorkStop.limiting(to: options.limits.durationMax) { () throws(DecodeError) in
            try DecodeError.checkStop()
            return try decoder.decode(data, as: format, options: options)
        }
        return image.decoded(from: data, as: format)
    }

    /// A decoder for bytes that are still arriving, or `nil` where the format has none.
    ///
    /// - Parameters:
    ///   - head: The first bytes of the image, 64 or more where there are as many; they are still to be
    ///     appended.
    ///   - options: What the decode should give.
    /// - Returns: A decoder before the first byte.
    public func makeIncrementalDecoder(
        forHead head: Data,
        options: DecodeOptions = DecodeOptions()
    ) -> (any IncrementalDecoder)? {
        guard options.target.hasRoom, let (decoder, format) = match(head) else { return nil }
        return decoder.makeIncrementalDecoder(for: format, options: options)
    }

    /// The small picture that a file holds of its image: the thumbnail that cameras put into JPEG, HEIC and
    /// TIFF, or a preview of a raw; `nil` where there is none.
    ///
    /// Few bytes are decoded for it, so that it can be shown while the rest comes. It shows what the image
    /// shows, turned as that is, in a size of its own: never larger than the target. Blocks while it works.
    ///
    /// - Parameters:
    ///   - head: The bytes of the file that have come, from the first on; some kilobytes are enough as a
    ///     rule.
    ///   - options: What the decode should give; frames and damage are not looked at.
    /// - Returns: The small picture; `nil` also where it has not come.
    /// - Throws: `DecodeError` where it is there and damaged, or beyond the limits.
    public func thumbnail(
        in head: Data,
        options: DecodeOptions = DecodeOptions()
    ) throws(DecodeError) -> Image? {
        try options.target.checkRoom()
        guard let (decoder, _) = match(head) else { return nil }
        return try WorkStop.limiting(to: options.limits.durationMax) { () throws(DecodeError) in
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
                detail: "the first bytes are those of no known image format"
            )
        }
        throw DecodeError(
            .unsupportedFeature,
            format: sniffed,
            detail: sniffed.absence(of: "decoder")
        )
    }

    /// The first decoder to know the bytes, the last registered asked first.
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
    /// The same image, with the size and the Exif fields of its file in the metadata.
    fileprivate func decoded(from file: Data, as format: ImageFormat) -> Image {
        var metadata = metadata
        metadata.encodedByteCount = file.count
        if metadata.exif == nil {
            metadata.exif = ExifBlock.block(of: file, format: format).flatMap { Exif(block: $0) }
        }
        return replacing(animation: animation, metadata: metadata)
    }
}
