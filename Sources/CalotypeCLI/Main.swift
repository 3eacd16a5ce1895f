import CalotypeCodecs
import CalotypeSandbox
import CalotypeSupport

/// The executable; see ``Program``.
@main enum Main {
    static func main() async {
        // Before anything that starts a thread.
        if CommandLine.arguments.dropFirst() == [SandboxOptions.workerCommand] { CodecWorker.run() }
        exit(await Program.run(PathBytes.arguments))
    }
}
