import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

extension CodecConformance {
    /// Pictures of each pixel format and of sizes that codecs stumble over.
    private var pictures: [(name: String, image: Image)] {
        let sizes = [(37, 23), (1, 1), (1, 90), (90, 1), (64, 48)]
        return sizes.flatMap { width, height in
            PixelFormat.allCases.map { format in
                let size = PixelSize(width: width, height: height)
                return ("\(format) of \(size)", TestPictures.photograph(size, format: format))
            }
        }
    }

    /// What the first encoder makes of the pictures.
    func encodedSamples() throws -> [Sample] {
        guard let encoder = encoders.first else { return [] }
        return try pictures.map { name, image in
            Sample(name, try encoder.encode(image), expendableByteCount: expendableByteCount)
        }
    }

    /// Equal values give equal bytes, different ones different identities, and the decoder takes the bytes.
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
        try expect("equal encoders give equal bytes", circumstances, try encoder.encode(image) == data)
        let info = try decoder.info(of: data, limits: DecodeLimits())
        try expect("what is encoded has the encoder's format", circumstances, info.format == encoder.format)
        try expect("what is encoded is a still", circumstances, info.frameCount == 1)
        let back = try decoder.decode(data, options: DecodeOptions())
        let isSmaller = back.size.width <= image.size.width && back.size.height <= image.size.height
        try expect("an encoder never enlarges", circumstances, isSmaller)
    }
}
