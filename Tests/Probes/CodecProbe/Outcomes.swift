import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Outcomes of files when the memory used by a decode is filled with a value: pixels must not depend on it.
///
/// The fill value of HEVC frames is set here, that of all other memory by the starting process
/// (`glibc.malloc.perturb`).
enum Outcomes {
    /// Small enough that a size changed by damage stays cheap.
    private static let limits = DecodeLimits(maxPixelCount: 16 << 20, maxFrameCount: 200)

    /// Prints a line with the content of fresh memory, then one for each file.
    ///
    /// Each has the hashes of the pixels and of the first frames, or the error code; and the same for the
    /// previews during an incremental decode.
    static func print(of paths: some Sequence<String>, filling: UInt8) throws {
        HEICDecoder.fillMemory(filling)
        PixelBuffer.fill(with: filling)
        // Mapped memory is zero.
        PixelMemory.map(from: .max)
        Swift.print("memory", freshByte())
        for path in paths {
            let data = try Data(contentsOf: URL(filePath: path))
            let options = DecodeOptions(limits: limits)
            Swift.print(outcome(data, options), previews(of: data, options), separator: ", ")
        }
    }

    private static func outcome(_ data: Data, _ options: DecodeOptions) -> String {
        do throws(DecodeError) {
            let image = try CodecRegistry.standard.decode(data, options: options)
            let frames = 0..<min(3, image.animation?.frameCount ?? 0)
            return ([hash(image)] + frames.map { frameHash(image, $0) }).joined(separator: " ")
        } catch {
            return error.code.label
        }
    }

    private static func frameHash(_ image: Image, _ index: Int) -> String {
        do {
            return try image.animation.map { hash(try $0.decodeFrame(at: index)) } ?? ""
        } catch {
            return "\(error)"
        }
    }

    private static func previews(of data: Data, _ options: DecodeOptions) -> String {
        let incremental = CodecRegistry.standard.makeIncrementalDecoder(
            forHead: data.prefix(64),
            options: options
        )
        guard let incremental else { return "none" }
        var shown = ""
        do throws(DecodeError) {
            for quarter in 0..<4 {
                let (start, end) = (data.count * quarter / 4, data.count * (quarter + 1) / 4)
                try incremental.append(data[start..<end])
                if let preview = try incremental.preview() { shown += "\(hash(preview.image)) " }
            }
            return shown
        } catch {
            return shown + error.code.label
        }
    }

    private static func hash(_ image: Image) -> String {
        let hash = image.pixels.withUnsafeBytes { xxh3($0) }
        return "\(image.size) \(image.pixelFormat) \(hash)"
    }

    /// The last byte of a fresh allocation of the C library.
    private static func freshByte() -> UInt8 {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        defer { bytes.deallocate() }
        return bytes[63]
    }
}
