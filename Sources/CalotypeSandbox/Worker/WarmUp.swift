import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTransforms
import FoundationEssentials

/// Prepares libraries before the sandbox: they load plug-ins and query the processor, which needs files.
enum WarmUp {
    /// Decodes and encodes a small image of each format of a kind.
    static func run(_ codecs: CodecRegistry, for kind: WorkerKind) {
        // New ICC profiles contain a date, which needs the time zone.
        tzset()
        // Reads the size of the machine's memory.
        _ = FrameBudget.shared
        guard let image = picture() else { return }
        if kind == .svg { return draw(image, codecs) }
        if kind == .transform { return transform(image) }
        for format in ImageFormat.recognized where kind.serves(format) {
            do {
                _ = try codecs.encoder(for: format).map { try codecs.decode($0.encode(image)) }
            } catch {
                // A codec that fails now also fails, with an error, when a job uses it.
                continue
            }
        }
    }

    /// Draws everything that reads files on first use: text, images, and a filter, which starts a thread.
    private static func draw(_ image: Image, _ codecs: CodecRegistry) {
        let pictures = [ImageFormat.png, .jpeg].map { format -> String in
            do {
                let data = try codecs.encode(image, as: format)
                return "<image href='data:\(format.mediaType);base64,\(data.base64EncodedString())'/>"
            } catch {
                return ""
            }
        }
        let text = """
            <svg xmlns='http://www.w3.org/2000/svg' width='16' height='16'>\(pictures.joined())
            <filter id='a'><feGaussianBlur stdDeviation='1'/></filter>
            <text y='9' filter='url(#a)'>a</text></svg>
            """
        do throws(DecodeError) {
            _ = try CodecRegistry.svg.decode(Data(text.utf8))
        } catch {
            // Drawing that fails now also fails, with an error, when a job uses it.
            return
        }
    }

    /// Runs libvips operations once: libvips compiles code when an operation is first used, even if that code
    /// will not run.
    private static func transform(_ image: Image) {
        let size = PixelSize(width: 9, height: 40)
        let color = RGBAColor(red: 1, green: 2, blue: 3, alpha: 4)
        let stroke = Stroke(width: 1.5, color: color)
        var chains: [TransformChain] = [
            .adjust(brightness: 0.1, contrast: 1.1, saturation: 1.1, gamma: 1.1, hueDegrees: 1),
            .blur(sigma: 1), .sharpen(), .rotate(byDegrees: 7), .rotate(.clockwise90), .flip(.horizontal),
            .pad(to: PixelSize(width: 20, height: 40)), .smartCrop(to: PixelSize(width: 9, height: 9)),
            .grayscale, .invert, .sepia(intensity: 0.5), .flatten(), .circle(border: stroke),
            .roundCorners(radius: 4, border: stroke), .border(stroke), .tint(color),
            .overlay(image, isTiled: true), placedTiles(image), .resize(to: size, light: .linear),
            .pixelate(side: 3),
            .convolve(ConvolutionKernel(rows: [[0.5, 0.5, 0.25]])), .equalize, .duotone(light: .white),
            .sharpenLightness(sigma: 1), .saturation(aroundBrightness: 2),
            .monochrome(color: RGBColor(red: 9, green: 8, blue: 7)), .gradient(color, degrees: 7),
            .pad(to: PixelSize(width: 20, height: 40), backdrop: .blurred(sigma: 2)),
            .pad(to: PixelSize(width: 20, height: 40), backdrop: .averageColor),
        ]
        chains += ResamplingKernel.allCases.map { .resize(to: size, kernel: $0) }
        for chain in chains {
            do {
                _ = try chain.apply(to: image)
                // Once with alpha too.
                _ = try TransformChain.circle().appending(chain).apply(to: image)
            } catch {
                // An operation that fails here fails later too, and is reported then.
                continue
            }
        }
    }

    private static func placedTiles(_ image: Image) -> TransformChain {
        .overlay(
            OverlayImage(image),
            scaledTo: PixelSize(width: 5, height: 4),
            across: OverlayRun(start: -2, period: 7, count: 3),
            down: OverlayRun(1),
            opacity: 0.5
        )
    }

    private static func picture() -> Image? {
        let size = PixelSize(width: 16, height: 16)
        do throws(DecodeError) {
            let pixels = try unsafe PixelBuffer(byteCount: size.pixelCount * 3) { bytes throws(DecodeError) in
                for index in 0..<bytes.count { unsafe bytes[index] = UInt8(truncatingIfNeeded: index) }
            }
            return Image(size: size, pixelFormat: .rgb8, pixels: pixels)
        } catch {
            // Without memory for this the first job fails with an error.
            return nil
        }
    }
}
