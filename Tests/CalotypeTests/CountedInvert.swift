import CalotypeTesting

@testable import Calotype

struct CountedInvert: ImageTransform {
    let count = SharedState(0)
    var name = "a"

    var cacheIdentity: String { "counted-\(name)-1()" }

    func apply(to image: Image) -> Image {
        count.withLock { $0 += 1 }
        let pixels = PixelBuffer(byteCount: image.pixels.byteCount) { target in
            image.pixels.withUnsafeBytes { source in
                for index in source.indices { target[index] = 255 - source[index] }
            }
        }
        return Image(size: image.size, pixelFormat: image.pixelFormat, pixels: pixels)
    }

    static func == (left: CountedInvert, right: CountedInvert) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
