import CalotypeCore
import CalotypeSupport

extension CodecRegistry {
    /// The codecs of this module.
    ///
    /// JPEG, PNG, WebP, BMP and ICO, the raws of cameras by their previews, and of AVIF, GIF, HEIC, JPEG XL
    /// and TIFF those whose package trait is on: all of them, unless the package that depends on this one
    /// says otherwise.
    public static let standard: CodecRegistry = {
        var registry = CodecRegistry()
        registry.register(JPEGDecoder(), JPEGEncoder())
        registry.register(PNGDecoder(), PNGEncoder())
        registry.register(BMPDecoder(), BMPEncoder())
        registry.register(ICODecoder())
        registry.register(GIFDecoder(), GIFEncoder(), where: .gif)
        registry.register(WebPDecoder(), WebPEncoder())
        registry.register(JPEGXLDecoder(), JPEGXLEncoder(), where: .jpegXL)
        registry.register(TIFFDecoder(), TIFFEncoder(), where: .tiff)
        // Asked before the decoder of TIFF, which would take their small pictures for all there is.
        registry.register(CameraRawDecoder())
        registry.register(AVIFDecoder(), AVIFEncoder(), where: .avif)
        registry.register(HEICDecoder(), HEICEncoder(), where: .heic)
        return registry
    }()

    /// Those of ``standard`` whose decoders are bounded (``ImageDecoder/isBounded``): for a service whose
    /// users name or send the pictures.
    ///
    /// JPEG XL is not decoded.
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
    /// Says why the standard registry, or another, has no codec for the format.
    ///
    /// - Parameter codec: What is not there: a decoder or an encoder.
    /// - Returns: A sentence for an error.
    package func absence(of codec: String) -> String {
        if self == .svg, codec == "decoder" {
            return "SVG is drawn in codec workers alone: CodecWorkers.codecs(_:), --sandbox, sandbox = on"
        }
        guard let trait, !trait.isOn else { return "no \(codec) for \(self) is registered" }
        return trait.absence(of: description)
    }

    /// The package trait that brings the format's library; `nil` where none is needed.
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
