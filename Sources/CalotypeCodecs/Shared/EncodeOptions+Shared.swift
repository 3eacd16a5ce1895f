import CCodecs
import CalotypeCore
import FoundationEssentials

extension EncodeOptions {
    /// The settings as text for a cache key.
    var cacheIdentity: String {
        let channels = [background.red, background.green, background.blue]
        let color = channels.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
        let box = sizeMax.map { "\(Self.text($0.width))x\(Self.text($0.height))" }
        return "bytes=\(Self.text(byteCountMax)),box=\(box ?? "-"),background=\(color)"
    }

    private static func text(_ number: Int?) -> String {
        number.map(String.init) ?? "-"
    }

    /// The limit as C takes it.
    var outputByteCountMax: UInt64 { byteCountMax.map { UInt64(max(0, $0)) } ?? .max }

    /// The image within ``sizeMax``.
    func resized(_ image: Image, for format: ImageFormat) throws(EncodeError) -> Image {
        guard let size = sizeMax?.fitting(image.size), size != image.size else { return image }
        do throws(CodecFailure) {
            return try Resampler.resize(image, to: size)
        } catch {
            throw error.encodeError(format)
        }
    }
}

extension Image {
    /// Encodes through C: `encode` gets the pixels and makes the bytes, which become the data's.
    func encoded(
        by encode: (
            UnsafePointer<cc_pixels>, UnsafeMutablePointer<cc_output>, UnsafeMutablePointer<cc_message>
        ) -> cc_status
    ) throws(CodecFailure) -> Data {
        var output = unsafe cc_output()
        let failure = unsafe pixels.withUnsafeBytes { bytes in
            var source = unsafe cc_pixels(bytes, size, pixelFormat)
            return unsafe CodecFailure.of { message in unsafe encode(&source, &output, message) }
        }
        if let failure { throw failure }
        guard let start = unsafe output.bytes else { return Data() }
        return unsafe Data(bytesNoCopy: start, count: output.count, deallocator: .free)
    }
}
