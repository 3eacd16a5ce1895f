import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import QOICodec

/// An animated format small enough for intended defects: `flip`, the frame count, the play count, and per
/// frame its hundredths of a second, its byte count and a QOI file.
///
/// It shows that the conformance suite detects each defect.
struct FlipbookDecoder: ImageDecoder {
    enum Defect: CaseIterable {
        case countsTooFew, forgetsLoops, showsForNoTime, shufflesFrames, animatesTheFirst
        case forgetsScale, ignoresTargets, ignoresLimits, ignoresFrameLimits, allocatesFirst
        case fillsWhatIsCut, losesPieces, acceptsNothing, namesAnotherFormat
    }

    static let format = ImageFormat(rawValue: "flipbook")
    var defect: Defect?

    var formats: [ImageFormat] { [Self.format] }

    func recognizes(_ data: Data) -> ImageFormat? { data.starts(with: "flip".utf8) ? Self.format : nil }

    func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        if defect == .acceptsNothing, data.isEmpty {
            return ImageInfo(format: Self.format, size: PixelSize(width: 1, height: 1), pixelFormat: .gray8)
        }
        try limits.checkInput(data, format: Self.format)
        let book = try Flipbook(data)
        var info = try QOIDecoder().info(of: book.frames[0].data, limits: DecodeLimits())
        let frameCount = book.frames.count
        let limits = defect == .ignoresLimits ? DecodeLimits() : limits
        try limits.checkSize(
            info.size,
            frameCount: defect == .ignoresFrameLimits ? 1 : frameCount,
            format: Self.format
        )
        if defect != .namesAnotherFormat { info.format = Self.format }
        guard frameCount > 1 else { return info }
        info.frameCount = frameCount - (defect == .countsTooFew ? 1 : 0)
        info.loopCount = defect == .forgetsLoops ? nil : book.loopCount
        info.animationDuration = book.frames.reduce(.zero) { $0 + $1.duration }
        return info
    }

    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        if defect == .fillsWhatIsCut, let whole = Self.whole(data) {
            return try decode(whole, options: options)
        }
        let isTrusting = defect == .allocatesFirst && options.target != .full
        let checked = try info(of: data, limits: isTrusting ? DecodeLimits() : options.limits)
        var book = try Flipbook(data)
        if defect == .showsForNoTime { book.frames[0].duration = .zero }
        let source = FlipbookFrames(
            book: book,
            options: options,
            frameCount: checked.frameCount,
            defect: defect
        )
        let first = try source.image(at: 0)
        let isWanted = options.frames == .all || defect == .animatesTheFirst
        guard isWanted, book.frames.count > 1 else { return first }
        return Image(
            size: first.size,
            pixelFormat: first.pixelFormat,
            pixels: first.pixels,
            scale: first.scale,
            format: first.format,
            metadata: first.metadata,
            animation: Animation(source: source, budget: FrameBudget(maxByteCount: 0))
        )
    }

    /// The available frames, presented as all of them.
    private static func whole(_ data: Data) -> Data? {
        guard data.count > 1_000, decodeError({ try Flipbook(data) })?.code == .truncated else { return nil }
        let first = Data(data.dropFirst(7).prefix(3)).reduce(0) { $0 << 8 | Int($1) }
        return data.prefix(4) + Data([1, 0]) + data.dropFirst(6).prefix(4 + first)
    }

    func makeIncrementalDecoder(for format: ImageFormat, options: DecodeOptions) -> (any IncrementalDecoder)?
    {
        FlipbookPieces(decoder: self, options: options)
    }
}

struct Flipbook: Sendable {
    var loopCount: LoopCount
    var frames: [(duration: Duration, data: Data)]

    init(_ data: Data) throws(DecodeError) {
        let bytes = [UInt8](data)
        guard bytes.count >= 6 else { throw Self.error(.truncated) }
        guard bytes.starts(with: "flip".utf8), bytes[4] > 0 else { throw Self.error(.corrupt) }
        loopCount = bytes[5] == 0 ? .infinite : .times(Int(bytes[5]))
        frames = []
        var rest = data.dropFirst(6)
        for _ in 0..<bytes[4] {
            let head = [UInt8](rest.prefix(4))
            guard head.count == 4 else { throw Self.error(.truncated) }
            guard head[0] >= 2 else { throw Self.error(.corrupt) }
            let count = head[1...].reduce(0) { $0 << 8 | Int($1) }
            let frame = Data(rest.dropFirst(4).prefix(count))
            guard frame.count == count else { throw Self.error(.truncated) }
            frames.append((.milliseconds(Int(head[0]) * 10), frame))
            rest = rest.dropFirst(4 + count)
        }
    }

    static func error(_ code: DecodeError.Code) -> DecodeError {
        DecodeError(code, format: FlipbookDecoder.format, detail: "a flipbook is \(code.label)")
    }
}

private struct FlipbookFrames: FrameSource {
    let book: Flipbook
    let options: DecodeOptions
    let frameCount: Int
    let defect: FlipbookDecoder.Defect?

    var loopCount: LoopCount { book.loopCount }
    var retainedByteCount: Int { book.frames.reduce(0) { $0 + $1.data.count } }

    func duration(ofFrameAt index: Int) -> Duration { book.frames[index].duration }

    func makeDecoder() throws -> any AnimationDecoder { FlipbookWalk(frames: self) }

    func image(at index: Int) throws(DecodeError) -> Image {
        var options = options
        if defect == .forgetsScale { options.scale = 1 }
        if defect == .ignoresTargets { options.target = .full }
        do throws(DecodeError) {
            let frame = try QOIDecoder().decode(book.frames[index].data, options: DecodeOptions())
            return try options.image(
                from: frame,
                format: FlipbookDecoder.format,
                frameCount: book.frames.count
            )
        } catch {
            throw DecodeError(error.code, format: FlipbookDecoder.format, detail: error.detail)
        }
    }
}

private final class FlipbookWalk: AnimationDecoder {
    let frames: FlipbookFrames
    var nextIndex = 0

    init(frames: FlipbookFrames) {
        self.frames = frames
    }

    private var hasSought = false

    func nextFrame() throws -> Image {
        defer { nextIndex += 1 }
        let isShuffled = frames.defect == .shufflesFrames && hasSought
        return try frames.image(at: isShuffled ? 0 : nextIndex)
    }

    func seek(toward index: Int) throws {
        hasSought = true
        nextIndex = index
    }
}

private final class FlipbookPieces: IncrementalDecoder {
    private let decoder: FlipbookDecoder
    private let options: DecodeOptions
    private var data = Data()

    init(decoder: FlipbookDecoder, options: DecodeOptions) {
        self.decoder = decoder
        self.options = options
    }

    func append(_ chunk: Data) throws(DecodeError) {
        let isLost = decoder.defect == .losesPieces && data.count == 100 && chunk.count == 1
        if !isLost { data += chunk }
    }

    func preview() throws(DecodeError) -> ImagePreview? { nil }

    func finish() throws(DecodeError) -> Image { try decoder.decode(data, options: options) }
}

struct FlipbookEncoder: ImageEncoder {
    var isStill = false
    var forgetsDurations = false

    var format: ImageFormat { FlipbookDecoder.format }
    var cacheIdentity: String { "flipbook1(still=\(isStill),\(forgetsDurations))" }

    func encode(_ image: Image) throws(EncodeError) -> Data {
        do {
            let animation = isStill ? nil : image.animation
            var data = Data("flip".utf8) + Data([UInt8(animation?.frameCount ?? 1)])
            if case .times(let count)? = animation?.loopCount {
                data.append(UInt8(count))
            } else {
                data.append(0)
            }
            for index in 0..<(animation?.frameCount ?? 1) {
                let frame = try QOIEncoder().encode(animation?.decodeFrame(at: index) ?? image)
                let duration = forgetsDurations ? nil : animation?.duration(ofFrameAt: index)
                data.append(UInt8((duration ?? .milliseconds(100)) / .milliseconds(10)))
                data += bigEndian32(frame.count).dropFirst() + frame
            }
            return data
        } catch {
            throw EncodeError(.codecFailure, format: format, detail: "\(error)")
        }
    }
}
