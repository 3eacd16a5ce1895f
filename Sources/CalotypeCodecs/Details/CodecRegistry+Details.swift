package import CalotypeCore
public import FoundationEssentials

extension CodecRegistry {
    /// Reads the details of an encoded image: Exif, density, name of the profile, chroma subsampling, pages.
    ///
    /// Decodes no pixels and needs no codec: headers are parsed with bounds checks, in microseconds. Absent,
    /// damaged or unsupported details are `nil`, never an error.
    ///
    /// - Parameter data: The encoded image, or its first bytes.
    /// - Returns: The details.
    public func details(of data: Data) -> ImageDetails {
        guard let format = ImageFormat(sniffing: data) else { return ImageDetails() }
        return ImageDetails(of: data, format)
    }

    /// Returns the duration of each frame of an animation; empty for a still.
    ///
    /// Decodes the first frame in a small size, for the codecs whose headers alone do not suffice. Blocks.
    ///
    /// - Throws: `DecodeError`.
    package func frameDurations(
        of data: Data,
        limits: DecodeLimits = DecodeLimits()
    ) throws(DecodeError) -> [Duration] {
        let options = DecodeOptions(target: .fit(width: 1, height: 1), limits: limits)
        return try decode(data, options: options).animation?.frameDurations ?? []
    }
}

extension Animation {
    /// The duration of each frame.
    package var frameDurations: [Duration] { (0..<frameCount).map { duration(ofFrameAt: $0) } }
}
