import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// Decodes SVG, plain or compressed with gzip, using librsvg.
///
/// Only for workers: a document can require any amount of work, and librsvg cannot be interrupted. The size
/// is computed as browsers do, and the image is drawn at the size of the target, which may be larger. Nothing
/// outside the document is loaded; embedded images are limited to the formats that librsvg reads without
/// modules.
struct SVGDecoder: ImageDecoder {
    var formats: [ImageFormat] { [.svg] }

    /// No other image format is compressed with gzip; the worker checks the content.
    func recognizes(_ data: Data) -> ImageFormat? { data.isGzip ? .svg : nil }

    func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        let document = try SVGDocument(data, limits)
        return ImageInfo(format: .svg, size: document.size, hasAlpha: true, pixelFormat: .rgba8)
    }

    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let document = try SVGDocument(data, options.limits)
        let size = options.target.drawnSize(for: document.size)
        try options.limits.checkSize(size, format: .svg)
        guard max(size.width, size.height) <= SVGDocument.maxSide else {
            throw DecodeError(
                .limitExceeded,
                format: .svg,
                detail: "\(size) pixels; the limit is \(SVGDocument.maxSide) per side"
            )
        }
        let pixels = try unsafe PixelBuffer(byteCount: 4 * size.pixelCount) { bytes throws(DecodeError) in
            try unsafe document.draw(size, into: bytes)
        }
        return Image(
            size: size,
            pixelFormat: .rgba8,
            pixels: pixels,
            scale: options.scale,
            format: .svg,
            metadata: ImageMetadata(light: options.light)
        )
    }
}

extension CodecRegistry {
    /// The codecs of an SVG worker: other formats have workers of other kinds.
    static let svg: CodecRegistry = {
        var registry = CodecRegistry()
        registry.register(SVGDecoder())
        return registry
    }()
}
