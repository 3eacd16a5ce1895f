extension CodecRegistry {
    /// The codecs of this module.
    public static let standard: CodecRegistry = {
        var registry = CodecRegistry()
        registry.register(JPEGDecoder())
        registry.register(JPEGEncoder())
        registry.register(PNGDecoder())
        registry.register(PNGEncoder())
        registry.register(AVIFDecoder())
        registry.register(AVIFEncoder())
        registry.register(HEICDecoder())
        registry.register(HEICEncoder())
        return registry
    }()
}
