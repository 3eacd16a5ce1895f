extension CodecRegistry {
    /// The codecs of this module.
    public static let standard: CodecRegistry = {
        var registry = CodecRegistry()
        registry.register(JPEGDecoder())
        registry.register(PNGDecoder())
        return registry
    }()
}
