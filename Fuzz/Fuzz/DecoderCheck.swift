import CalotypeCodecs
import CalotypeCore
import FoundationEssentials
import Glibc

/// Properties that must hold for any input of a decoder.
struct DecoderCheck {
    let decoder: any ImageDecoder
    let format: ImageFormat
    let comparesPixels: Bool

    /// Low enough that what a few flipped bits make of the size stays cheap.
    static let limits = DecodeLimits(
        maxPixelCount: 1 << 20,
        maxFrameCount: 200,
        maxFramePixelCount: 1 << 22,
        maxScanPixelCount: 1 << 24
    )
    static let whole = DecodeOptions(limits: limits)
    static let small = DecodeOptions(target: .fit(PixelBox(width: 7, height: 5)), limits: limits)

    /// A check of one decoder.
    ///
    /// - Parameters:
    ///   - decoder: The decoder.
    ///   - format: The format that it decodes.
    ///   - comparesPixels: Whether pieces give the pixels of the whole, or fail as it does, also where the
    ///     stream is damaged: for libwebp both depend on where the pieces end.
    init(_ decoder: any ImageDecoder, _ format: ImageFormat, comparesPixels: Bool = true) {
        self.decoder = decoder
        self.format = format
        self.comparesPixels = comparesPixels
    }

    func run(_ input: Data) {
        let image = checkHeader(input)
        if let image { checkFrames(of: image) }
        let seventh = Piece(byteCount: 1 + input.count / 7, isShown: true)
        checkPieces([seventh], of: input, Self.whole, image)
        if let image = decode(input, Self.small) {
            precondition(image.size.width <= 7 && image.size.height <= 5, "\(image.size) is within the box")
        }
    }

    /// The header is read soon, and tells what a decode that succeeds gives; the image is returned.
    @discardableResult
    func checkHeader(_ input: Data) -> Image? {
        let start = Self.cpuTime
        let info = attempt { () throws(DecodeError) in try decoder.info(of: input, limits: Self.limits) }
        precondition(Self.cpuTime - start < .seconds(1), "a header is read soon")
        guard let image = decode(input, Self.whole) else { return nil }
        guard let info else { preconditionFailure("what decodes has a header") }
        precondition(info.format == format && image.format == format, "the header tells the format")
        precondition(info.displaySize == image.size, "the header tells the size: \(info)")
        precondition(info.pixelFormat == image.pixelFormat, "the header tells the layout: \(info)")
        precondition(info.frameCount == image.animation?.frameCount ?? 1, "… the frames: \(info)")
        precondition(info.loopCount == image.animation?.loopCount, "… the loops: \(info)")
        precondition(info.hasColorProfile == image.metadata.hasColorProfile, "… the profile: \(info)")
        return image
    }

    /// The first frames in order, then back to the first.
    private func checkFrames(of image: Image) {
        guard let animation = image.animation else { return }
        for index in [0, 1, 2, 0] where index < animation.frameCount {
            do {
                let frame = try animation.decodeFrame(at: index)
                precondition(frame.size == image.size, "each frame is as large as the image")
            } catch {
                return
            }
        }
    }

    func decode(_ input: Data, _ options: DecodeOptions) -> Image? {
        attempt { () throws(DecodeError) in try decoder.decode(input, options: options) }
    }

    func attempt<Value>(_ body: () throws(DecodeError) -> Value) -> Value? {
        do {
            return try body()
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
            return nil
        }
    }

    /// The processor time of this thread.
    static var cpuTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension Image {
    /// The pixels, and those of the first frames of an animation as far as they can be decoded.
    var firstPixels: [Data] {
        var pixels = [rgba8()]
        guard let animation else { return pixels }
        do {
            for index in 0..<min(3, animation.frameCount) {
                pixels.append(try animation.decodeFrame(at: index).rgba8())
            }
        } catch {
            return pixels
        }
        return pixels
    }
}
