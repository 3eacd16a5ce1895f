import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// What must hold for any input of a decoder.
struct DecoderCheck {
    private let decoder: any ImageDecoder
    private let format: ImageFormat
    private let comparesPixels: Bool

    /// Low enough that what a few flipped bits make of the size stays cheap.
    private static let limits = DecodeLimits(
        pixelCountMax: 1 << 20,
        frameCountMax: 200,
        framePixelCountMax: 1 << 22,
        scanPixelCountMax: 1 << 24
    )

    /// A check of one decoder.
    ///
    /// - Parameters:
    ///   - decoder: The decoder.
    ///   - format: The format that it decodes.
    ///   - comparesPixels: Whether chunks give the pixels of the whole, or fail as it does, also where the
    ///     stream is damaged: for libwebp both depend on where the chunks end.
    init(_ decoder: any ImageDecoder, _ format: ImageFormat, comparesPixels: Bool = true) {
        self.decoder = decoder
        self.format = format
        self.comparesPixels = comparesPixels
    }

    func run(_ input: Data) {
        let info = attempt { () throws(DecodeError) in try decoder.info(of: input, limits: Self.limits) }
        let options = DecodeOptions(limits: Self.limits)
        let image = attempt { () throws(DecodeError) in try decoder.decode(input, options: options) }
        if let image {
            precondition(info?.displaySize == image.size, "the header tells the size: \(info as Any)")
            checkFrames(of: image)
        }
        checkIncremental(input, options, image)
        let small = DecodeOptions(target: .fit(PixelBox(width: 7, height: 5)), limits: Self.limits)
        if let image = attempt({ () throws(DecodeError) in try decoder.decode(input, options: small) }) {
            precondition(image.size.width <= 7 && image.size.height <= 5, "\(image.size) is within the box")
        }
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

    /// Bytes in chunks give the same pixels as all at once, or an error.
    ///
    /// An error where the whole decodes is no find: some libraries notice damage in a stream that they pass
    /// over in a file.
    private func checkIncremental(_ input: Data, _ options: DecodeOptions, _ whole: Image?) {
        guard let incremental = decoder.makeIncrementalDecoder(for: format, options: options) else { return }
        let step = 1 + input.count / 7
        let image = attempt { () throws(DecodeError) in
            for start in stride(from: 0, to: input.count, by: step) {
                try incremental.append(input.dropFirst(start).prefix(step))
                _ = try incremental.preview()
            }
            return try incremental.finish()
        }
        // Damage that libwebp finds in a file it may pass over in a stream, too.
        guard let image, whole != nil || comparesPixels else { return }
        precondition(image.size == whole?.size, "chunks give the size of the whole")
        guard comparesPixels else { return }
        precondition(image.rgba8() == whole?.rgba8(), "chunks give the pixels of the whole")
    }

    private func attempt<Value>(_ body: () throws(DecodeError) -> Value) -> Value? {
        do {
            return try body()
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
            return nil
        }
    }
}
