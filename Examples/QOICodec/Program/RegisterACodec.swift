import CalotypeCodecs
import CalotypeCore
import QOICodec

@main struct RegisterACodec {
    static func main() throws {
        var codecs = CodecRegistry.standard
        codecs.register(QOIDecoder())
        codecs.register(QOIEncoder())

        let data = try codecs.encode(checkerboard(), as: .qoi)
        let small = DecodeOptions(target: .fit(PixelBox(width: 40)))
        let image = try codecs.decode(data, options: small)
        print("\(data.count) bytes of \(try codecs.info(of: data).size) became \(image.size)")
    }

    static func checkerboard() -> Image {
        let size = PixelSize(width: 160, height: 120)
        let pixels = PixelBuffer(byteCount: size.pixelCount) { bytes in
            for index in bytes.indices {
                let isDark = (index % size.width / 8 + index / size.width / 8) % 2 == 0
                bytes[index] = isDark ? 40 : 220
            }
        }
        return Image(size: size, pixelFormat: .gray8, pixels: pixels)
    }
}
