import ArgumentParser
import Calotype
import CalotypeCache
import CalotypeCore
import CalotypeLoading
import Foundation

/// `calotype show`: draws an image in the terminal.
struct ShowCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Draws an image in the terminal, through the caches; plays animations.",
        discussion: """
            Needs a terminal with true colour. A terminal with kitty's graphics protocol (kitty, Ghostty, \
            WezTerm, Konsole) shows pixels instead of half blocks. Previews are drawn while an image loads. \
            An animation plays as often as its file says, until Ctrl-C. If standard output is not a \
            terminal, the whole image is drawn once, and only the first frame of an animation.
            """
    )

    @Argument(
        help: ArgumentHelp("An http, https, file or data URL, or a file path.", valueName: "url"),
        completion: .file()
    )
    var address: String

    @Option(
        parsing: .unconditional,
        help: "Width of the image in columns; default: at most the width of the terminal."
    )
    var width: Int?

    @Flag(help: "Draw the first frame of an animation only.")
    var still = false

    @Option(
        name: .customLong("loops"),
        parsing: .unconditional,
        help: "Number of plays of an animation; default: as its file says."
    )
    var loopCount: Int?

    @Option(help: "Drawing method; default: by the terminal's name.")
    var graphics = TerminalGraphics.Choice.auto

    @OptionGroup var network: NetworkOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var sandbox: SandboxOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...10_000).contains(width ?? 1) else { throw ValidationError("--width must be 1...10000.") }
        guard (loopCount ?? 1) >= 1 else { throw ValidationError("--loops must be at least 1.") }
    }

    func execute(_ console: Console) async throws -> CommandExitCode {
        let pipeline = ImagePipeline(
            .init(
                cache: ImageCache(
                    stores: [try DiskCache(cache.configuration)],
                    codecs: try await sandbox.codecs(console)
                ),
                loader: try network.loader()
            )
        )
        let result = await Result { () async throws -> CommandExitCode in
            try await show(through: pipeline, on: console)
        }
        do {
            try await pipeline.shutdown()
        } catch {
            try await console.report(warning: ErrorText.describe(error))
        }
        return try result.get()
    }

    private func show(through pipeline: ImagePipeline, on console: Console) async throws -> CommandExitCode {
        do {
            let request = try request(for: console)
            if console.isJSON {
                let image = try await pipeline.image(for: request)
                try await console.write(record(of: image), as: LoadReport.table)
            } else if let terminal = console.terminalSize {
                let canvas = TerminalCanvas(
                    terminalLineCount: terminal.lines,
                    graphics: graphics(of: console)
                )
                try await play(pipeline.events(for: request), canvas, on: console)
            } else {
                let image = try await pipeline.image(for: request)
                try await console.draw(graphics(of: console).text(drawing: image))
            }
            return .success
        } catch let error where !(error is CancellationError) {
            let shown = shownAddress
            let text = ErrorText.describe(error, of: address, shownAs: shown)
            if console.isJSON {
                try await console.write(
                    Record([("url", .text(shown))]).withError(text),
                    as: LoadReport.table
                )
            }
            try await console.report(error: "\(SafeText.shortened(shown)): \(text)")
            return ErrorText.status(for: error)
        }
    }

    private var shownAddress: String { BatchSource(address).shownAddress }

    /// Returns a request for the drawn size; the terminal's last line stays free.
    private func request(for console: Console) throws -> ImageRequest {
        var request = try ImageRequest(typed: address)
        try network.apply(to: &request)
        let terminal = console.terminalSize
        let columns = width ?? terminal?.columns ?? 80
        let lines = width == nil ? max(1, (terminal?.lines ?? 25) - 1) : nil
        let cell = graphics(of: console).cell
        request.decoding.target = .fit(
            PixelBox(width: columns * cell.width, height: lines.map { $0 * cell.height })
        )
        request.decoding.frames = isAnimated(console) ? .all : .first
        return request
    }

    private func graphics(of console: Console) -> TerminalGraphics {
        let environment = ProcessInfo.processInfo.environment
        return TerminalGraphics(graphics, cell: console.terminalCell, environment: environment)
    }

    private func isAnimated(_ console: Console) -> Bool {
        !still && (console.isJSON || console.terminalSize != nil)
    }

    /// Draws previews, then the image or the frames of an animation, each over the last one.
    ///
    /// An image that is higher than the terminal is drawn once, without previews or further frames.
    private func play(_ events: ImageEvents, _ canvas: TerminalCanvas, on console: Console) async throws {
        // The cursor is hidden while the image changes, and restored whatever ends it.
        try await console.draw(TerminalCanvas.hideCursor)
        let result = await Result { () async throws in
            var canvas = canvas
            for try await event in events {
                switch event {
                case .progress: break
                case .preview(let image) where !canvas.canReplace(image): break
                case .preview(let image): try await console.draw(canvas.text(drawing: image))
                case .finished(let loaded): try await draw(loaded.image, &canvas, on: console)
                }
            }
        }
        try await console.draw(TerminalCanvas.showCursor)
        try result.get()
    }

    private func draw(_ image: Image, _ canvas: inout TerminalCanvas, on console: Console) async throws {
        guard let animation = image.animation, canvas.canReplace(image) else {
            return try await console.draw(canvas.text(drawing: image))
        }
        let player = AnimationPlayer(animation, loopCount: loopCount.map { .times($0) })
        for try await frame in player.frames {
            try await console.draw(canvas.text(drawing: frame.image))
        }
    }

    private func record(of image: Image) -> Record {
        Record([
            ("url", .text(shownAddress)),
            ("width", .count(image.size.width)),
            ("height", .count(image.size.height)),
            ("format", image.format.map { .text($0.rawValue) }),
            ("frames", .count(image.animation?.frameCount ?? 1)),
        ])
    }
}
