import CalotypeCodecs
import CalotypeSandbox
import HostileCodec

/// A worker with all codecs, and one that does what no codec should; with `hasty`, one that reads no input.
@main struct SandboxProbe {
    static func main() {
        if CommandLine.arguments.contains("hasty") { HastyWorker.run() }
        var codecs = CodecRegistry.standard
        codecs.register(HostileDecoder())
        CodecWorker.run(codecs: codecs)
    }
}
