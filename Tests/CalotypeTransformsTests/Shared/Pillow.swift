import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport

/// Pillow, an implementation that shares no code with libvips; tests that need it are skipped without it.
enum Pillow {
    static var isPresent: Bool { python != nil }

    static let advice = "python3 with Pillow is not installed (Scripts/setup does it): skipped"

    /// The first Python with Pillow; another one on the path may lack it.
    private static let python = [ServerProcess.find("python3"), "/usr/bin/python3"].compactMap(\.self).first {
        do {
            return try ServerProcess.run($0, ["-c", "from PIL import Image"]) == 0
        } catch {
            return false
        }
    }

    private struct Failure: Error {
        let expression: String
    }

    /// Transforms an image with Pillow; blocks.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - size: The size of the result.
    ///   - expression: A Python expression of `image`, whose value is the result.
    /// - Returns: The result, in the pixel format of the image.
    /// - Throws: An error if Pillow fails.
    static func image(_ image: Image, size: PixelSize, _ expression: String) throws -> Image {
        let folder = try ScratchFolder()
        let (input, output) = ("\(folder.path)/in", "\(folder.path)/out")
        try image.pixels.withUnsafeBytes { Data($0) }.write(to: URL(filePath: input))
        let mode =
            switch image.pixelFormat {
            case .gray8: "L"
            case .rgb8: "RGB"
            case .rgba8: "RGBA"
            case .rgba16, .rgbaF16: preconditionFailure("Pillow has no such mode")
            }
        let script = """
            from PIL import Image, ImageFilter, ImageOps, ImageEnhance, ImageChops
            bytes = open('\(input)', 'rb').read()
            image = Image.frombytes('\(mode)', (\(image.size.width), \(image.size.height)), bytes)
            result = \(expression)
            open('\(output)', 'wb').write(result.convert('\(mode)').tobytes())
            """
        guard let python, try ServerProcess.run(python, ["-c", script]) == 0 else {
            throw Failure(expression: expression)
        }
        let data = try Data(contentsOf: URL(filePath: output))
        let pixels = PixelBuffer(byteCount: data.count) { _ = data.copyBytes(to: $0) }
        return Image(size: size, pixelFormat: image.pixelFormat, pixels: pixels)
    }
}

extension Image {
    /// The mean and the maximum difference of two images of equal size and format, in levels of 255.
    func difference(from other: Image) -> (mean: Double, most: Int) {
        let differences = zip(rgba8(), other.rgba8()).map { abs(Int($0) - Int($1)) }
        return (Double(differences.reduce(0, +)) / Double(differences.count), differences.max() ?? 0)
    }
}
