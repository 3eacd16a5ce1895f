extension CodecRegistry {
    /// The codecs of this module.
    public static let standard: CodecRegistry = {
        var registry = CodecRegistry()
        registry.register(JPEGDecoder())
        registry.register(JPEGEncoder())
        registry.register(PNGDecoder())
        registry.register(PNGEncoder())
        registry.register(BMPDecoder())
        registry.register(BMPEncoder())
        registry.register(ICODecoder())
        registry.register(GIFDecoder())
        registry.register(GIFEncoder())
        registry.register(WebPDecoder())
        registry.register(WebPEncoder())
        registry.register(JPEGXLDecoder())
        registry.register(JPEGXLEncoder())
        registry.register(TIFFDecoder())
        registry.register(TIFFEncoder())
        registry.register(AVIFDecoder())
        registry.register(AVIFEncoder())
        registry.register(HEICDecoder())
        registry.register(HEICEncoder())
        return registry
    }()

    /// Those of ``standard`` whose decoders are bounded (``ImageDecoder/isBounded``): for a service whose
    /// users name or send the pictures.
    ///
    /// JPEG XL is not decoded.
    public static let publicWeb: CodecRegistry = standard.withoutUnboundedDecoders()
}
