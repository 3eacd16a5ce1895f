import CalotypeCodecs
import CalotypeCore

extension JPEGEncoder.ChromaSubsampling: WiredByName {}
extension AVIFEncoder.ChromaSubsampling: WiredByName {}

extension RGBColor: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self.init(red: try reader.byte(), green: try reader.byte(), blue: try reader.byte())
    }

    func write(to writer: inout WireWriter) {
        for channel in [red, green, blue] { writer.write(byte: channel) }
    }
}

extension EncodeOptions: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            byteCountMax: try reader.read(Int?.self),
            sizeMax: try reader.read(PixelBox?.self),
            background: try reader.read(),
            frames: try reader.read(),
            keepsCopyright: try reader.read()
        )
    }

    func write(to writer: inout WireWriter) {
        writer.write(byteCountMax)
        writer.write(sizeMax)
        writer.write(background)
        writer.write(frames)
        writer.write(keepsCopyright)
    }
}

/// An encoder that a message can describe; encoders of the program's own run in the program.
struct WiredEncoder: Wired {
    let encoder: any ImageEncoder

    /// Returns `nil` for an encoder that a message cannot describe.
    init?(_ encoder: any ImageEncoder) {
        switch encoder {
        case is JPEGEncoder, is PNGEncoder, is WebPEncoder, is AVIFEncoder, is HEICEncoder, is JPEGXLEncoder,
            is TIFFEncoder, is GIFEncoder, is BMPEncoder:
            self.encoder = encoder
        default: return nil
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        let format: ImageFormat = try reader.read()
        encoder =
            switch format {
            case .jpeg:
                JPEGEncoder(
                    quality: try reader.read(),
                    isProgressive: try reader.read(),
                    chromaSubsampling: try reader.read(),
                    options: try reader.read()
                )
            case .png:
                PNGEncoder(
                    compressionLevel: try reader.read(),
                    isInterlaced: try reader.read(),
                    options: try reader.read()
                )
            case .webP:
                WebPEncoder(
                    quality: try reader.read(),
                    isLossless: try reader.read(),
                    effort: try reader.read(),
                    options: try reader.read()
                )
            case .avif: try Self.avif(from: &reader)
            case .heic:
                HEICEncoder(
                    quality: try reader.read(),
                    isLossless: try reader.read(),
                    options: try reader.read()
                )
            case .jpegXL:
                JPEGXLEncoder(
                    quality: try reader.read(),
                    isLossless: try reader.read(),
                    effort: try reader.read(),
                    options: try reader.read()
                )
            case .tiff: TIFFEncoder(compression: try reader.read(), options: try reader.read())
            case .gif:
                GIFEncoder(
                    colorCountMax: try reader.read(),
                    dithers: try reader.read(),
                    options: try reader.read()
                )
            case .bmp: BMPEncoder(options: try reader.read())
            default: throw WireError("unknown encoder")
            }
    }

    private static func avif(from reader: inout WireReader) throws(WireError) -> AVIFEncoder {
        var encoder = AVIFEncoder(
            quality: try reader.read(),
            isLossless: try reader.read(),
            speed: try reader.read(),
            chromaSubsampling: try reader.read(),
            options: try reader.read()
        )
        encoder.deepBitDepth = try reader.read()
        return encoder
    }

    func write(to writer: inout WireWriter) {
        writer.write(encoder.format)
        switch encoder {
        case let jpeg as JPEGEncoder:
            writer.write(jpeg.quality)
            writer.write(jpeg.isProgressive)
            writer.write(jpeg.chromaSubsampling)
            writer.write(jpeg.options)
        case let png as PNGEncoder:
            writer.write(png.compressionLevel)
            writer.write(png.isInterlaced)
            writer.write(png.options)
        case let webP as WebPEncoder:
            writer.write(webP.quality)
            writer.write(webP.isLossless)
            writer.write(webP.effort)
            writer.write(webP.options)
        case let avif as AVIFEncoder:
            writer.write(avif.quality)
            writer.write(avif.isLossless)
            writer.write(avif.speed)
            writer.write(avif.chromaSubsampling)
            writer.write(avif.options)
            writer.write(avif.deepBitDepth)
        default: writeRest(to: &writer)
        }
    }

    private func writeRest(to writer: inout WireWriter) {
        switch encoder {
        case let heic as HEICEncoder:
            writer.write(heic.quality)
            writer.write(heic.isLossless)
            writer.write(heic.options)
        case let jpegXL as JPEGXLEncoder:
            writer.write(jpegXL.quality)
            writer.write(jpegXL.isLossless)
            writer.write(jpegXL.effort)
            writer.write(jpegXL.options)
        case let tiff as TIFFEncoder:
            writer.write(tiff.compression)
            writer.write(tiff.options)
        case let gif as GIFEncoder:
            writer.write(gif.colorCountMax)
            writer.write(gif.dithers)
            writer.write(gif.options)
        case let bmp as BMPEncoder: writer.write(bmp.options)
        default: break
        }
    }
}

extension TIFFEncoder.Compression: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.byte() {
        case 0: self = .none
        case 1: self = .lzw
        case 2: self = .deflate
        case 3: self = .jpeg(quality: try reader.read())
        default: throw WireError("unknown compression")
        }
    }

    func write(to writer: inout WireWriter) {
        switch self {
        case .none: writer.write(byte: 0)
        case .lzw: writer.write(byte: 1)
        case .deflate: writer.write(byte: 2)
        case .jpeg(let quality):
            writer.write(byte: 3)
            writer.write(quality)
        }
    }
}
