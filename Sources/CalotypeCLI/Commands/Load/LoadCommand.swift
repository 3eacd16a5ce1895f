import ArgumentParser
import Calotype
import CalotypeCodecs
import CalotypeCore

/// `calotype load`: the main job, through the caches.
struct LoadCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Loads images through the memory and the disk cache, and says where each came from.",
        discussion: """
            With --output, each image is written to a file: encoded as --format says, else as the extension \
            of the file says; else its original bytes, unless --width or --height was given, which encodes \
            it in its own format. A folder gets names made from the URLs; a file that is there is replaced.

            Exit status 1 where any load failed; 4 where all that failed was not in the cache \
            (--only-from-cache).
            """
    )

    @Argument(help: ArgumentHelp("http, https, file or data URLs, or paths of files.", valueName: "url"))
    var addresses: [String]

    @OptionGroup var size: SizeOptions

    @Option(help: "How the image uses the room: fit lies within, fill covers it.")
    var mode = SizeMode.fit

    @Option(help: "The format of the files that are written.")
    var format: FormatName?

    @OptionGroup var encoding: EncodingOptions

    @Option(
        name: .customLong("output"),
        help: "A file for one image, or a folder for any number.",
        completion: .file()
    )
    var destination: String?

    @Option(name: .customLong("repeat"), help: "How often the whole list is gone through.")
    var passCount = 1

    @Option(name: .customLong("concurrency"), help: "How many images are loaded at once.")
    var concurrencyMax = 8

    @Flag(help: "Load anew and replace what is cached.")
    var refresh = false

    @Flag(help: "Answer from the caches or fail.")
    var onlyFromCache = false

    @Flag(help: "Neither ask nor fill the memory cache.")
    var noMemory = false

    @Flag(help: "Neither ask nor fill the disk cache.")
    var noDisk = false

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard passCount >= 1 else { throw ValidationError("--repeat is at least 1.") }
        guard (1...1000).contains(concurrencyMax) else { throw ValidationError("--concurrency is 1...1000.") }
        if refresh && onlyFromCache {
            throw ValidationError("--refresh and --only-from-cache exclude each other.")
        }
    }

    func execute(_ console: Console) async throws -> ProgramStatus {
        if destination == nil, format != nil || encoding.quality != nil {
            try await console.report(warning: "--format and --quality have no effect without --output")
        }
        let target = try destination.map { try LoadTarget($0, addresses: addresses) }
        let session = try LoadSession(self, console: console)
        let result = await Result { () async throws -> ProgramStatus in
            try await LoadRun(command: self, session: session, target: target, console: console).run()
        }
        try await session.close()
        return try result.get()
    }

    /// Which layers are asked and filled.
    var cachePolicy: CachePolicy {
        var policy: CachePolicy = refresh ? .refresh : onlyFromCache ? .onlyFromCache : .standard
        if noMemory { policy.variant = .none }
        if noDisk { policy.original = .none }
        return policy
    }

    /// The request for an address, or `nil` where it is none.
    func request(for address: String) -> ImageRequest? {
        guard var request = ImageRequest(addressOrPath: address) else { return nil }
        request.decoding.target = PixelBox.target(size.box, mode: mode)
        request.cachePolicy = cachePolicy
        // A failure to store is told with the load that it belongs to.
        request.waitsForStore = true
        return request
    }
}
