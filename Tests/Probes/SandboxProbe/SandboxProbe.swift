import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import HostileCodec

/// A worker with all codecs, and a hostile one.
///
/// The hostile codec has its own format, or the one named by an argument. With `hasty` the worker reads no
/// input, with `liar` it forges the field that its input names, and with the name of a pixel lie it sends
/// that reply to pixel jobs.
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
