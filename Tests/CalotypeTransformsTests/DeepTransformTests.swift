import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct DeepTransformTests {
    private static let size = PixelSize(width: 16, height: 10)

    /// The image in 8 bits, and in 16.
    private static let shallow = TestImages.asymmetric(size, format: .rgba8)
    private static let deep = image(shallow)

    private static func image(_ image: Image) -> Image {
        let levels = [UInt8](image.rgba8()).map { UInt16($0) * 257 }
        let pixels = PixelBuffer(byteCount: levels.count * 2) { target in
            levels.withUnsafeBytes { target.copyMemory(from: $0) }
        }
        return Image(size: image.size, pixelFormat: .rgba16, pixels: pixels)
    }

    @Test func `crops, flips and turns retain 16 bits and move the same pixels`() throws {
        let chains: [TransformChain] = [
            .crop(to: PixelRect(x: 3, y: 2, width: 7, height: 5)), .flip(.horizontal), .flip(.vertical),
            .rotate(.clockwise90), .rotate(.clockwise180), .rotate(.clockwise270),
            .crop(to: PixelSize(width: 4, height: 4), gravity: .bottomRight),
        ]
        for chain in chains {
            let result = try chain.tested.apply(to: Self.deep)
            #expect(result.pixelFormat == .rgba16)
            #expect(
                result.rgba8() == (try chain.tested.apply(to: Self.shallow)).rgba8(),
                "\(chain.cacheIdentity)"
            )
        }
    }

    @Test(arguments: ResamplingKernel.allCases)
    func `resizes retain 16 bits and match the result of 8 bits`(kernel: ResamplingKernel) throws {
        for size in [PixelSize(width: 7, height: 4), PixelSize(width: 31, height: 23)] {
            for light in ResamplingLight.allCases {
                let chain = TransformChain.resize(to: size, kernel: kernel, light: light)
                let result = try chain.tested.apply(to: Self.deep)
                let ordinary = try chain.tested.apply(to: Self.shallow)
                #expect(result.pixelFormat == .rgba16 && result.size == size)
                let difference = zip(result.rgba8(), ordinary.rgba8()).map { abs(Int($0) - Int($1)) }
                let mean = Double(difference.reduce(0, +)) / Double(difference.count)
                #expect(mean < 3, "\(kernel) \(size) \(light): \(mean)")
            }
        }
    }

    @Test func `transforms of 8 bits get 8-bit images, custom ones too`() throws {
        struct Witness: ImageTransform {
            var cacheIdentity: String { "witness-1" }
            func apply(to image: Image) throws -> Image {
                #expect(!image.pixelFormat.isDeep)
                return image
            }
        }
        let chains: [TransformChain] = [
            .grayscale, .blur(sigma: 1), TransformChain(Witness()), .roundCorners(radius: 2), .trim(),
        ]
        for chain in chains {
            let whole: TransformChain = [.flip(.horizontal), chain]
            let result = try whole.tested.apply(to: Self.deep)
            let ordinary = try whole.tested.apply(to: Self.shallow)
            #expect(result.rgba8() == ordinary.rgba8(), "\(chain.cacheIdentity)")
        }
    }

    @Test func `colours, palettes and placeholders match those of 8 bits`() throws {
        #expect(try Self.deep.averageColor() == Self.shallow.averageColor())
        #expect(Self.deep.color(atX: 3, y: 4) == Self.shallow.color(atX: 3, y: 4))
        #expect(try Self.deep.palette() == Self.shallow.palette())
        #expect(Self.deep.isOpaque == Self.shallow.isOpaque)
        let large = try TransformChain.resize(to: PixelSize(width: 60, height: 40)).tested.apply(
            to: Self.deep
        )
        #expect(try BlurHash(encoding: large).text.count > 6)
    }
}
