import CalotypeCore
import CalotypeSupport

extension CodecRegistry {
    /// The codecs of this module.
    ///
    /// JPEG, PNG, WebP, BMP and ICO, the previews of camera raws, and those of AVIF, GIF, HEIC, JPEG XL and
    /// TIFF whose package trait is enabled: by default all of them.
    public static let standard: CodecRegistry = {
        var registry = CodecRegistry()
        registry.register(JPEGDecoder(), JPEGEncoder())
        registry.register(PNGDecoder(), PNGEncoder())
        registry.register(BMPDecoder(), BMPEncoder())
        registry.register(ICODecoder(), ICOEncoder())
        registry.register(GIFDecoder(), GIFEncoder(), where: .gif)
        registry.register(WebPDecoder(), WebPEncoder())
        registry.register(JPEGXLDecoder(), JPEGXLEncoder(), where: .jpegXL)
        registry.register(TIFFDecoder(), TIFFEncoder(), where: .tiff)
        // Before the decoder of TIFF, which would decode only their small images.
        registry.register(CameraRawDecoder())
        registry.register(AVIFDecoder(), AVIFEncoder(), where: .avif)
        registry.register(HEICDecoder(), HEICEncoder(), where: .heic)
        return registry
    }()

    /// The codecs of ``standard`` with bounded decoders (``ImageDecoder/isBounded``), for a service whose
    /// users name or upload the images.
    ///
    /// JPEG XL cannot be decoded with it.
    public static let publicWeb: CodecRegistry = standard.withoutUnboundedDecoders()

    private mutating func register(
        _ decoder: some ImageDecoder,
        _ encoder: some ImageEncoder,
        where trait: BuildTrait? = nil
    ) {
        guard trait?.isOn ?? true else { return }
        register(decoder)
        register(encoder)
    }
}

extension ImageFormat {
    /// Explains why a registry has no codec for the format.
    ///
    /// - Parameter codec: The missing codec: a decoder or an encoder.
    /// - Returns: A sentence for an error.
    package func absence(of codec: String) -> String {
        if self == .svg, codec == "decoder" {
            return "SVG is decoded in codec workers only: CodecWorkers.codecs(_:), --sandbox, sandbox = on"
        }
        guard let trait, !trait.isOn else { return "no \(codec) for \(self) is registered" }
        return trait.absence(of: description)
    }

    /// The package trait that adds the format's library; `nil` if the format needs none.
    private var trait: BuildTrait? {
        switch self {
        case .avif: .avif
        case .gif: .gif
        case .heic: .heic
        case .jpegXL: .jpegXL
        case .tiff: .tiff
        default: nil
        }
    }
}
