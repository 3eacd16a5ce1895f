import ArgumentParser
import Calotype
import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import Foundation
import LoopbackOrigin

/// `calotype demo`: three passes that show the effect of the caches.
struct DemoCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Loads images from the network, from disk and from memory, and prints the times.",
        discussion: """
            Without arguments the program draws the images itself and serves them from an HTTP origin on \
            the loopback interface; a folder is served the same way. Each pass loads all images one after \
            another, so that the times are those of single loads.

            Exit status 1 if an image came from an unexpected source.
            """
    )

    @Argument(
        help: ArgumentHelp("A folder of JPEG and PNG files, or URLs.", valueName: "dir-or-url"),
        completion: .directory
    )
    var arguments: [String] = []

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: "Contact sheet file; default: calotype-demo.png, with a number if that exists.",
        completion: .file(extensions: ["png"])
    )
    var destination: String?

    @OptionGroup var existing: OverwriteOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var sandbox: SandboxOptions
    @OptionGroup var output: OutputOptions

    var writesImageToOutput: Bool { destination.map { OutputFile.isStandardOutput($0) } ?? false }

    func execute(_ console: Console) async throws -> ProgramStatus {
        let codecs = try await sandbox.codecs(console)
        let scratch = cache.directory == nil ? try await TemporaryFolder.make() : nil
        let result = await Result { () async throws -> ProgramStatus in
            try await execute(console, root: cache.directory ?? scratch?.path, codecs)
        }
        await scratch?.remove()
        return try result.get()
    }

    private func execute(
        _ console: Console,
        root: String?,
        _ codecs: CodecRegistry
    ) async throws -> ProgramStatus {
        let writer = await OutputWriter(protecting: [], existing: existing.existing)
        // Checked before images are drawn for it.
        if let destination { _ = try await writer.skips(destination, of: "") }
        let source = try await DemoSource(arguments, console)
        await writer.protect(source.files)
        let result = await Result { () async throws -> ProgramStatus in
            let disk = try await DiskCache.open(.init(root: root, namespace: cache.namespace))
            let run = DemoRun(addresses: source.addresses, disk: disk, codecs: codecs, console: console)
            let result = await Result { () async throws -> ProgramStatus in
                let status = try await run.passes()
                try await run.writeContactSheet(to: destination, by: writer)
                return status
            }
            try await run.close()
            return try result.get()
        }
        await source.origin?.close()
        return try result.get()
    }
}
