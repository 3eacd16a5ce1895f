public import CalotypeCodecs
public import CalotypeCore
import CalotypeSupport
public import FoundationEssentials

/// A codec that does what the bytes of its files say, as a codec with a hole would: `HOSTILE open`.
public struct HostileDecoder: ImageDecoder {
    /// Its format, which nobody else recognises.
    public static let format = ImageFormat(rawValue: "hostile")

    private let format: ImageFormat

    /// Creates the decoder; it stands for another format where a worker of that kind is to be taken over.
    public init(format: ImageFormat = Self.format) { self.format = format }

    /// The one.
    public var formats: [ImageFormat] { [format] }

    /// By the first word.
    public func recognizes(_ data: Data) -> ImageFormat? {
        data.starts(with: Data("HOSTILE ".utf8)) ? format : nil
    }

    /// Does the deed.
    ///
    /// - Throws: `DecodeError` where there is no memory.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        _ = try decode(data, options: DecodeOptions())
        return ImageInfo(format: format, size: PixelSize(width: 4, height: 4), pixelFormat: .rgb8)
    }

    /// Does the deed.
    ///
    /// - Throws: `DecodeError` where there is no memory.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let word = String(decoding: data.dropFirst(8), as: UTF8.self)
        if let deed = Deed(rawValue: word) { deed.run() }
        if let lie = Lie(rawValue: word) { lie.tell() }
        return try picture(of: word)
    }

    /// Eight pixels of gray; those of `leak` are what the heap has handed out.
    private func picture(of word: String) throws(DecodeError) -> Image {
        if word == "leak" {
            let count = 100_000
            let room = malloc(count)
            defer { free(room) }
            let pixels = try PixelBuffer(byteCount: count) { bytes throws(DecodeError) in
                // Both as a library leaves what it does not write: in its own memory and in ours.
                if let room { bytes.prefix(count / 2).copyMemory(from: .init(start: room, count: count / 2)) }
            }
            let size = PixelSize(width: count, height: 1)
            return Image(size: size, pixelFormat: .gray8, pixels: pixels, format: format)
        }
        if word == "secret" {
            // Left behind in the heap, in pieces of the same size.
            for _ in 0..<50 {
                guard let room = malloc(100_000) else { continue }
                memset(room, 0x53, 100_000)
                free(room)
            }
        }
        let pixels = try PixelBuffer(byteCount: 48) { bytes throws(DecodeError) in
            for index in bytes.indices { bytes[index] = 7 }
        }
        let size = PixelSize(width: 4, height: 4)
        return Image(size: size, pixelFormat: .rgb8, pixels: pixels, format: format)
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func prefix(_ count: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: self[..<count])
    }
}
