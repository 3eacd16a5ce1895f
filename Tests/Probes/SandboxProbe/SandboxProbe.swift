import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import HostileCodec

/// A worker with all codecs, and one that does what no codec should.
///
/// That one is for a format of its own, or for the one that an argument names. With `hasty` it is a worker
/// that reads no input.
@main struct SandboxProbe {
    static func main() {
        if CommandLine.arguments.contains("hasty") { HastyWorker.run() }
        var codecs = CodecRegistry.standard
        let format = CommandLine.arguments.dropFirst().first.map { ImageFormat(rawValue: $0) }
        codecs.register(HostileDecoder(format: format ?? HostileDecoder.format))
        CodecWorker.run(codecs: codecs)
    }
}
