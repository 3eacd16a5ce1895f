import ArgumentParser
import Calotype
import CalotypeCache
import CalotypeCore
import CalotypeLoading

/// `calotype show`: draws an image in the terminal.
struct ShowCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Draws an image in the terminal, through the caches; plays animations.",
        discussion: """
            Needs a terminal with true colour. An animation plays as often as its file says, until Ctrl-C; \
            where standard output is no terminal, its first frame is drawn.
            """
    )

    @Argument(
        help: ArgumentHelp("An http, https, file or data URL, or the path of a file.", valueName: "url")
    )
    var address: String

    @Option(help: "The width of the picture in columns; as wide as the terminal at most unless given.")
    var width: Int?

    @Flag(help: "Draw the first frame of an animation only.")
    var still = false

    @Option(name: .customLong("loops"), help: "How often an animation plays, instead of what its file says.")
    var loopCount: Int?

    @OptionGroup var cache: CacheOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...10_000).contains(width ?? 1) else { throw ValidationError("--width is 1...10000.") }
        guard (loopCount ?? 1) >= 1 else { throw ValidationError("--loops is at least 1.") }
    }

    func execute(_ console: Console) async throws -> ProgramStatus {
        let pipeline = ImagePipeline(
            .init(
                cache: ImageCache(stores: [try DiskCache(cache.configuration)]),
                loader: RoutingLoader.standard()
            )
        )
        let result = await Result { () async throws -> ProgramStatus in
            try await show(through: pipeline, on: console)
        }
        do {
            try await pipeline.shutdown()
        } catch {
            try await console.report(warning: ErrorText.describe(error))
        }
        return try result.get()
    }

    private func show(through pipeline: ImagePipeline, on console: Console) async throws -> ProgramStatus {
        do {
            let image = try await pipeline.image(for: request(for: console))
            guard !console.isJSON else {
                try await console.write(record(of: image), as: LoadReport.table)
                return .success
            }
            try await draw(image, on: console)
            return .success
        } catch let error where !(error is CancellationError) {
            let name = SafeText.shortened(address)
            let text = ErrorText.describe(error)
            if console.isJSON {
                try await console.write(
                    Record([("url", .text(address))]).withError(text),
                    as: LoadReport.table
                )
            }
            try await console.report(error: "\(name): \(text)")
            return ErrorText.status(for: error)
        }
    }

    /// The picture is decoded at the size it is drawn in; the terminal's last line stays free.
    private func request(for console: Console) throws(CommandError) -> ImageRequest {
        guard var request = ImageRequest(addressOrPath: address) else {
            throw CommandError(
                .invalidURL,
                detail: "neither a URL nor a path; percent-encode special characters"
            )
        }
        let terminal = console.terminalSize
        let columns = width ?? terminal?.columns ?? 80
        let height = width == nil ? max(1, (terminal?.lines ?? 25) - 1) * 2 : nil
        request.decoding.target = .fit(PixelBox(width: columns, height: height))
        request.decoding.frames = isAnimated(console) ? .all : .first
        return request
    }

    private func isAnimated(_ console: Console) -> Bool {
        !still && (console.isJSON || console.terminalSize != nil)
    }

    private func draw(_ image: Image, on console: Console) async throws {
        guard let animation = image.animation else {
            return try await console.draw(TerminalPicture.lines(of: image).joined(separator: "\n") + "\n")
        }
        let player = AnimationPlayer(animation, loopCount: loopCount.map { .times($0) })
        let lineCount = (image.size.height + 1) / 2
        // The cursor is hidden while the picture moves, and comes back whatever ends it.
        try await console.draw("\u{1B}[?25l")
        let result = await Result { () async throws in
            var isFirst = true
            for try await frame in player.frames {
                let text = TerminalPicture.lines(of: frame.image).joined(separator: "\n") + "\n"
                try await console.draw((isFirst ? "" : "\u{1B}[\(lineCount)A") + text)
                isFirst = false
            }
        }
        try await console.draw("\u{1B}[?25h")
        try result.get()
    }

    private func record(of image: Image) -> Record {
        Record([
            ("url", .text(address)),
            ("width", .count(image.size.width)),
            ("height", .count(image.size.height)),
            ("format", image.format.map { .text($0.rawValue) }),
            ("frames", .count(image.animation?.frameCount ?? 1)),
        ])
    }
}
