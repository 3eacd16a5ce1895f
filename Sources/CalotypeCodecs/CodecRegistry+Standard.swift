extension CodecRegistry {
    /// The codecs of this module.
    public static let standard: CodecRegistry = {
        var registry = CodecRegistry()
        registry.register(JPEGDecoder())
        registry.register(JPEGEncoder())
        registry.register(PNGDecoder())
        registry.register(PNGEncoder())
        registry.register(JPEGXLDecoder())
        registry.register(JPEGXLEncoder())
        registry.register(TIFFDecoder())
        registry.register(TIFFEncoder())
        return registry
    }()
}
