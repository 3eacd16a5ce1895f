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
        if kind == .transform { return TransformMessage.warmUp(image) }
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
