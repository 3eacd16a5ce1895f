import ArgumentParser
import Calotype
import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTransforms
import Foundation

/// `calotype load`: the main job, through the caches.
struct LoadCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Loads images through the memory and the disk cache, and says where each came from.",
        discussion: """
            With --format, each image is encoded in that format, and the result is cached next to the \
            original. With --output, each is written to a file: encoded as --format says, else as the \
            extension of the file says; else its original bytes, unless --width, --height, --transform or an \
            option of the encoder (--quality, --effort, …) was given, which encodes it in its own format, or \
            as PNG where that cannot hold what has become see-through. A folder gets names made from the \
            URLs (--name); with --json, `path` is the file that was written. An existing file is replaced \
            only with --overwrite, and a file that is loaded never.

            On a terminal, a bar shows how far it has come and how fast, and the last line what came from \
            where: memory, disk, network, file or data.

            Exit status 1 where any load failed; 4 where all that failed was not in the cache \
            (--only-from-cache).
            """
    )

    private static let pool = BlockingPool(width: 1)

    @Argument(
        help: ArgumentHelp(
            "http, https, file or data URLs, or paths of files; “-” is a list of them on standard input.",
            valueName: "url"
        ),
        completion: .file()
    )
    var addresses: [String] = []

    @Option(
        name: [.customShort("i"), .customLong("input-file")],
        help: ArgumentHelp(
            "A file that lists URLs or paths, one a line; “-” is standard input.",
            discussion: "Empty lines and those that begin with # count for nothing.",
            valueName: "file"
        ),
        completion: .file()
    )
    var listPath: String?

    @OptionGroup var size: SizeOptions

    @Option(help: "How the image uses the room: fit lies within, fill covers it.")
    var mode = SizeMode.fit

    @OptionGroup var transforms: TransformOptions

    @Option(name: .shortAndLong, help: "The format that the images are encoded in.")
    var format: FormatName?

    @OptionGroup var encoding: EncodingOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: "A file for one image, or a folder for any number; “-” is standard output.",
        completion: .file()
    )
    var destination: String?

    @Option(
        name: .customLong("preview"),
        help: ArgumentHelp(
            "A folder for what can be seen while an image arrives: NAME-001.png, ….",
            discussion: "Of JPEG, PNG, GIF, WebP and JPEG XL, every 150 ms at most; none of what is cached.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var previewFolder: String?

    @Option(
        name: .customLong("repeat"),
        parsing: .unconditional,
        help: "How often the whole list is gone through."
    )
    var passCount = 1

    @OptionGroup var batch: BatchOptions

    @Flag(help: "Load anew and replace what is cached.")
    var refresh = false

    @Flag(help: "Answer from the caches or fail.")
    var onlyFromCache = false

    @Flag(help: "Neither ask nor fill the memory cache.")
    var noMemory = false

    @Flag(help: "Neither ask nor fill the disk cache.")
    var noDisk = false

    @OptionGroup var network: NetworkOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var sandbox: SandboxOptions
    @OptionGroup var output: OutputOptions

    var writesImageToOutput: Bool {
        destination.map { OutputFile.isStandardOutput($0) } ?? false
    }

    /// The number of concurrent loads.
    var concurrencyMax: Int { batch.concurrency ?? 8 }

    func validate() throws {
        guard listPath != nil || !addresses.isEmpty else {
            throw ValidationError("There is nothing to load: name a URL, or a list with --input-file.")
        }
        guard passCount >= 1 else { throw ValidationError("--repeat is at least 1.") }
        guard destination != "" else { throw ValidationError("--output must not be empty.") }
        if let destination { try OutputTarget.checkExtension(of: destination, against: format?.format) }
        guard previewFolder != "" else { throw ValidationError("--preview must not be empty.") }
        if refresh && onlyFromCache {
            throw ValidationError("--refresh and --only-from-cache exclude each other.")
        }
    }

    func execute(_ console: Console) async throws -> ProgramStatus {
        let addresses = try await AddressList.expanded(addresses, listPath)
        let sources = try await BatchSource.all(
            addresses,
            isRecursive: batch.recursive,
            besides: [destination, previewFolder]
        )
        return try await load(sources, console)
    }

    private func load(_ sources: [BatchSource], _ console: Console) async throws -> ProgramStatus {
        if destination == nil, format == nil, encoding.settings.changesEncoder {
            let options = "--quality and the other options of the encoder"
            try await console.report(warning: "\(options) have no effect without --format or --output")
        }
        let target = try await target(for: sources)
        let note = await Self.pool.run { target?.note(for: format?.format) }
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
        let previews = await Self.pool.run {
            previewFolder.map { PreviewFolder($0, sources: sources, writer: writer) }
        }
        let result = await Result { () async throws -> ProgramStatus in
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
        return try await Self.pool.run {
            try OutputTarget(
                destination,
                sources: sources,
                template: batch.template,
                isRecursive: batch.recursive,
                format: ResultFormat(requested: format?.format, own: ownFormat)
            )
        }
    }

    /// The format of results where none was asked for.
    private var ownFormat: ResultFormat.Own {
        transforms.steps.isEmpty ? (changesOriginals ? .encoded : .kept) : .open
    }

    /// Which layers are asked and filled.
    var cachePolicy: CachePolicy {
        var policy: CachePolicy = refresh ? .refresh : onlyFromCache ? .onlyFromCache : .standard
        if noMemory { policy.variant = .none }
        if noDisk { policy.original = .none }
        return policy
    }

    /// Whether the bytes of an original are not what is wanted, whatever its format is.
    var changesOriginals: Bool {
        size.box != nil || encoding.settings.changesEncoder || !transforms.steps.isEmpty
    }

    /// The request for a source, in the encoding that it is to be kept in.
    ///
    /// - Parameters:
    ///   - source: What was typed.
    ///   - target: Where the result goes.
    ///   - chain: What the steps of ``transforms`` are.
    /// - Returns: The request.
    /// - Throws: ``CommandError`` where the address is none; ``CalotypeCodecs/EncodeError`` where the format
    ///   has no encoder.
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
        // A failure to store is told with the load that it belongs to.
        request.waitsForStore = true
        // That of a file alone changes nothing where the original has it already.
        if let format = format?.format ?? (changesOriginals ? target?.format : nil) {
            request.encoding = ImageEncoding(try encoding.settings.encoder(for: format, .standard))
        }
        return request
    }
}
