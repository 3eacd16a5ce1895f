import CalotypeCodecs
import CalotypeCore
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct ColorTests {
    private func decode(_ path: String, convertsToSRGB: Bool) throws -> Image {
        let file = try #require(SharedCorpus.files.first { $0.path == path })
        return try CodecRegistry.tested.decode(
            file.bytes(),
            options: DecodeOptions(appliesOrientation: false, convertsToSRGB: convertsToSRGB)
        )
    }

    /// Display P3 to sRGB by definition: equal transfer curves, D65, CSS Color 4 section 18.
    private func sRGB(fromP3 pixel: [UInt8]) -> [Double] {
        let linear = pixel.map { level -> Double in
            let value = Double(level) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        let matrix = [
            [1.2249401762805598, -0.22494017628055996, 0],
            [-0.04205695470968816, 1.042056954709688, 0],
            [-0.01963755459033443, -0.07863604555063188, 1.0982736001409663],
        ]
        return matrix.map { row in
            let value = min(1, max(0, zip(row, linear).map { $0 * $1 }.reduce(0, +)))
            return 255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055)
        }
    }

    @Test(arguments: ["jpeg/Nuke-image-p3.jpg", "png/SDWebImageWebPCoder-TestDisplayP3.png"])
    func `Display P3 becomes sRGB`(path: String) throws {
        let stored = try decode(path, convertsToSRGB: false)
        let converted = try decode(path, convertsToSRGB: true)
        #expect(stored.metadata.hasColorProfile && converted.metadata.hasColorProfile)
        #expect(stored.bytes != converted.bytes)
        let (before, after, step) = (stored.bytes, converted.bytes, stored.pixelFormat.bytesPerPixel)
        var sum = 0.0
        var count = 0.0
        for pixel in stride(from: 0, to: before.count, by: step * 97) {
            let expected = sRGB(fromP3: Array(before[pixel..<pixel + 3]))
            for channel in 0..<3 {
                sum += abs(expected[channel] - Double(after[pixel + channel]))
                count += 1
            }
        }
        #expect(sum / count < 1, "mean difference \(sum / count)")
    }

    @Test(arguments: ["jpeg/image-test.jpg", "jpeg/image-cat.jpg"])
    func `a profile that is sRGB itself changes nothing`(path: String) throws {
        let stored = try decode(path, convertsToSRGB: false)
        #expect(stored.metadata.hasColorProfile)
        #expect(try decode(path, convertsToSRGB: true).bytes == stored.bytes)
    }

    @Test func `alpha is not touched by a profile`() throws {
        let path = "png/SDWebImageWebPCoder-TestDisplayP3.png"
        let (stored, converted) = (
            try decode(path, convertsToSRGB: false), try decode(path, convertsToSRGB: true)
        )
        try #require(stored.pixelFormat == .rgba8)
        let alphas = [stored, converted].map { image in
            stride(from: 3, to: image.bytes.count, by: 4 * 101).map { image.bytes[$0] }
        }
        #expect(alphas[0] == alphas[1])
    }

    @Test(arguments: SharedCorpus.photographs.filter { ["jpg", "png"].contains($0.pathExtension) })
    func `a photograph decodes whole at its size and at a target`(url: URL) throws {
        let data = try Data(contentsOf: url)
        let info = try CodecRegistry.tested.info(of: data)
        #expect(try CodecRegistry.tested.decode(data).size == info.displaySize)
        let box = PixelBox(width: 400, height: 400)
        let small = try CodecRegistry.tested.decode(data, options: DecodeOptions(target: .fit(box)))
        #expect(small.size == box.fitting(info.displaySize))
    }
}
