import ArgumentParser
import Calotype
import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTransforms
import Foundation

/// `calotype load`: loads images through the caches.
struct LoadCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Loads images through the memory and disk caches, and prints the source of each.",
        discussion: """
            With --format, each image is encoded in that format, and the result is cached next to the \
            original. With --output, each image is written to a file in the format of --format, else of \
            the file's extension; else its original bytes are written. --width, --height, --transform and \
            encoder options (--quality, --effort, …) encode it in its own format, or as PNG if that format \
            cannot hold transparency. File names in a folder are made from the URLs (--name); with --json, \
            `path` is the file that was written. An existing file is replaced only with --overwrite, and \
            an input never.

            On a terminal, a bar shows the progress and the speed, and the last line the sources: memory, \
            disk, network, file or data.

            Exit status 1 if any load failed; 4 if all that failed were not in the cache \
            (--only-from-cache).
            """
    )

    @Argument(
        help: ArgumentHelp(
            "http, https, file or data URLs, or file paths; “-” reads a list from standard input.",
            valueName: "url"
        ),
        completion: .file()
    )
    var addresses: [String] = []

    @Option(
        name: [.customShort("i"), .customLong("input-file")],
        help: ArgumentHelp(
            "File with URLs or paths, one per line; “-” is standard input.",
            discussion: "Empty lines and lines that begin with # are ignored.",
            valueName: "file"
        ),
        completion: .file()
    )
    var listPath: String?

    @OptionGroup var size: SizeOptions

    @Option(help: "Scaling mode: fit lies within --width and --height, fill covers them.")
    var mode = SizeMode.fit

    @OptionGroup var transforms: TransformOptions

    @Option(name: .shortAndLong, help: "Output format.")
    var format: FormatName?

    @OptionGroup var encoding: EncodingOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: "Output file for one image, or folder for any number; “-” is standard output.",
        completion: .file()
    )
    var destination: String?

    @Option(
        name: .customLong("preview"),
        help: ArgumentHelp(
            "Folder for previews of images in progress: NAME-001.png, ….",
            discussion: "For JPEG, PNG, GIF, WebP and JPEG XL, at most every 150 ms; none for cached images.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var previewFolder: String?

    @Option(
        name: .customLong("repeat"),
        parsing: .unconditional,
        help: "Number of passes through the list."
    )
    var passCount = 1

    @OptionGroup var batch: BatchOptions

    @Flag(help: "Reload and replace cached images.")
    var refresh = false

    @Flag(help: "Load from the caches only, or fail.")
    var onlyFromCache = false

    @Flag(help: "Bypass the memory cache.")
    var noMemory = false

    @Flag(help: "Bypass the disk cache.")
    var noDisk = false

    @OptionGroup var network: NetworkOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var sandbox: SandboxOptions
    @OptionGroup var output: OutputOptions

    var writesImageToOutput: Bool {
        destination.map { OutputFile.isStandardOutput($0) } ?? false
    }

    var maxConcurrency: Int { batch.concurrency ?? 8 }

    func validate() throws {
        guard listPath != nil || !addresses.isEmpty else {
            throw ValidationError("There is nothing to load; name a URL, or a list with --input-file.")
        }
        guard passCount >= 1 else { throw ValidationError("--repeat must be at least 1.") }
        guard destination != "" else { throw ValidationError("--output must not be empty.") }
        if let destination { try OutputTarget.checkExtension(of: destination, against: format?.format) }
        guard previewFolder != "" else { throw ValidationError("--preview must not be empty.") }
        if refresh && onlyFromCache {
            throw ValidationError("--refresh and --only-from-cache exclude each other.")
        }
    }

    func execute(_ console: Console) async throws -> CommandExitCode {
        let addresses = try await AddressList.expanded(addresses, listPath)
        let sources = try await BatchSource.all(
            addresses,
            isRecursive: batch.recursive,
            besides: [destination, previewFolder]
        )
        return try await load(sources, console)
    }

    private func load(_ sources: [BatchSource], _ console: Console) async throws -> CommandExitCode {
        if destination == nil, format == nil, encoding.settings.changesEncoder {
            let options = "--quality and the other options of the encoder"
            try await console.report(warning: "\(options) have no effect without --format or --output")
        }
        let target = try await target(for: sources)
        let note = await BlockingPool.command.run { target?.note(for: format?.format) }
        let files = sources.compactMap(\.path) + [listPath, network.trustRootsPath].compactMap(\.self)
        let writer = await OutputWriter(
            protecting: files + transforms.picturePaths,
            existing: batch.existing
        )
        let chain = try await transforms.chain()
        let session = try LoadSession(
            self,
            loadCount: sources.count * passCount,
            codecs: try await sandbox.codecs(console),
            console: console
        )
        let previews = await BlockingPool.command.run {
            previewFolder.map { PreviewFolder($0, sources: sources, writer: writer) }
        }
        let result = await Result { () async throws -> CommandExitCode in
            let run = LoadRun(
                command: self,
                sources: sources,
                transforms: chain,
                session: session,
                target: target,
                writer: writer,
                previews: previews,
                console: console
            )
            return try await run.run()
        }
        try await session.close()
        guard case .success(.success) = result else {
            await writer.removeEmptyFolders()
            return try result.get()
        }
        if let note { try await console.report(warning: note) }
        return .success
    }

    private func target(for sources: [BatchSource]) async throws -> OutputTarget? {
        guard let destination else {
            // Previews are files, too.
            let hasEffect = batch.overwrite && previewFolder != nil
            guard batch.existing == .refused || hasEffect, batch.template == nil else {
                throw ValidationError(
                    "--name, --overwrite and --skip-existing have no effect without --output."
                )
            }
            return nil
        }
        return try await BlockingPool.command.run {
            try OutputTarget(
                destination,
                sources: sources,
                template: batch.template,
                isRecursive: batch.recursive,
                format: ResultFormat(requested: format?.format, own: ownFormat)
            )
        }
    }

    /// The format of results if none is requested.
    private var ownFormat: ResultFormat.Own {
        transforms.steps.isEmpty ? (changesOriginals ? .encoded : .kept) : .open
    }

    /// The cache layers to read and write.
    var cachePolicy: CachePolicy {
        var policy: CachePolicy = refresh ? .refresh : onlyFromCache ? .onlyFromCache : .standard
        if noMemory { policy.variant = .none }
        if noDisk { policy.original = .none }
        return policy
    }

    /// Whether the original's bytes cannot be the result, whatever its format.
    var changesOriginals: Bool {
        size.box != nil || encoding.settings.changesEncoder || !transforms.steps.isEmpty
    }

    /// Returns the request for a source, with the encoding to cache.
    ///
    /// - Throws: ``CommandError`` if the address is invalid; ``CalotypeCodecs/EncodeError`` if the format has
    ///   no encoder.
    func request(
        for source: BatchSource,
        to target: OutputTarget? = nil,
        transforms chain: TransformChain = []
    ) throws -> ImageRequest {
        var request = try ImageRequest(for: source)
        request.transforms = chain
        try network.apply(to: &request)
        request.decoding.target = PixelBox.target(size.box, mode: mode)
        request.cachePolicy = cachePolicy
        request.ignoresPastFailure = refresh
        // A failure to store is reported with its load.
        request.waitsForStore = true
        // A file format alone changes nothing if the original already has it.
        if let format = format?.format ?? (changesOriginals ? target?.format : nil) {
            request.encoding = ImageEncoding(try encoding.settings.encoder(for: format, .standard))
        }
        return request
    }
}
