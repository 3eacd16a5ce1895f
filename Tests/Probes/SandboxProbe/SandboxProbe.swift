import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import HostileCodec

/// A worker with all codecs, and one that does what no codec should.
///
/// That one is for a format of its own, or for the one that an argument names. With `hasty` it is a worker
/// that reads no input, with `liar` one that forges what its input says, with the name of a lie one that
/// answers jobs of pixels with it.
@main struct SandboxProbe {
    static func main() {
        if CommandLine.arguments.contains("hasty") { HastyWorker.run() }
        if CommandLine.arguments.contains("liar") { LyingWorker.run() }
        if let lie = CommandLine.arguments.last.flatMap(PixelLie.init(rawValue:)) { lie.run() }
        var codecs = CodecRegistry.standard
        let format = CommandLine.arguments.dropFirst().first.map { ImageFormat(rawValue: $0) }
        codecs.register(HostileDecoder(format: format ?? HostileDecoder.format))
        CodecWorker.run(codecs: codecs)
    }
}
