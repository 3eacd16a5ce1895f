import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

extension CodecConformance {
    /// Images of each pixel format, in sizes that are difficult for codecs.
    private var pictures: [(name: String, image: Image)] {
        let sizes = [(37, 23), (1, 1), (1, 90), (90, 1), (64, 48)]
        return sizes.flatMap { width, height in
            PixelFormat.allCases.map { format in
                let size = PixelSize(width: width, height: height)
                return ("\(format) of \(size)", TestImages.photograph(size, format: format))
            }
        }
    }

    /// Returns the images encoded by the first encoder.
    func encodedSamples() throws -> [Sample] {
        guard let encoder = encoders.first else { return [] }
        return try pictures.map { name, image in
            Sample(name, try encoder.encode(image), expendableByteCount: expendableByteCount)
        }
    }

    /// Checks that equal encoders produce equal bytes, different ones have different identities, and the
    /// decoder accepts the bytes.
    func checkEncoders() throws {
        for (index, encoder) in encoders.enumerated() {
            let name = encoder.cacheIdentity
            try expect(
                "an encoder's format is one of the decoder's",
                name,
                decoder.formats.contains(encoder.format)
            )
            try expect("an identity names its version", name, !name.isEmpty && name == encoder.cacheIdentity)
            for other in encoders[..<index] {
                try expect(
                    "different encoders have different identities",
                    name,
                    AnyHashable(encoder) != AnyHashable(other) && other.cacheIdentity != name
                )
            }
            for (picture, image) in pictures { try checkRoundTrip(encoder, image, "\(name), \(picture)") }
        }
    }

    private func checkRoundTrip(_ encoder: any ImageEncoder, _ image: Image, _ circumstances: String) throws {
        let data = try encoder.encode(image)
        try expect("equal encoders produce equal bytes", circumstances, try encoder.encode(image) == data)
        let info = try decoder.info(of: data, limits: DecodeLimits())
        try expect("encoded data has the encoder's format", circumstances, info.format == encoder.format)
        try expect("an encoded still is a still", circumstances, info.frameCount == 1)
        let back = try decoder.decode(data, options: DecodeOptions())
        let isSmaller = back.size.width <= image.size.width && back.size.height <= image.size.height
        try expect("an encoder never enlarges", circumstances, isSmaller)
    }
}
