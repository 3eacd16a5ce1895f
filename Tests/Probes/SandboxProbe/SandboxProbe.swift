import CalotypeCodecs
import CalotypeSandbox
import HostileCodec

/// A worker with all codecs, and one that does what no codec should.
@main struct SandboxProbe {
    static func main() {
        var codecs = CodecRegistry.standard
        codecs.register(HostileDecoder())
        CodecWorker.run(codecs: codecs)
    }
}
