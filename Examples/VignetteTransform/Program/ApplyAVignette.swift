import CalotypeCore
import CalotypeTransforms
import VignetteTransform

@main struct ApplyAVignette {
    static func main() throws {
        let transforms: TransformChain = [.vignette(strength: 0.6), .blur(sigma: 1)]
        let image = try transforms.apply(to: white(PixelSize(width: 160, height: 120)))
        let corner = image.pixels.withUnsafeBytes { $0[0] }
        print("\(transforms.cacheIdentity) made the corner of white \(corner) of 255")
    }

    static func white(_ size: PixelSize) -> Image {
        let pixels = PixelBuffer(byteCount: size.pixelCount) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 255)
        }
        return Image(size: size, pixelFormat: .gray8, pixels: pixels)
    }
}
