import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTransforms
import FoundationEssentials

/// Has libraries do once, before a worker locks itself in, what needs files: load plug-ins, look at the
/// processor.
enum WarmUp {
    /// Decodes and encodes a small picture of each format of a kind.
    static func run(_ codecs: CodecRegistry, for kind: WorkerKind) {
        // New colour profiles have a date.
        tzset()
        // Asks how much memory there is.
        _ = FrameBudget.shared
        guard let image = picture() else { return }
        if kind == .svg { return draw(image, codecs) }
        if kind == .transform { return TransformMessage.warmUp(image) }
        for format in ImageFormat.recognized where kind.serves(format) {
            do {
                _ = try codecs.encoder(for: format).map { try codecs.decode($0.encode(image)) }
            } catch {
                // What fails now fails then too, and is told then.
                continue
            }
        }
    }

    /// Draws what has all that reads files once: letters, pictures, a filter with its thread.
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
            // What fails now fails then too, and is told then.
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
            // Without memory for this nothing works; the first job tells it.
            return nil
        }
    }
}
