import CalotypeCore
import CalotypeTesting
import Foundation
import TestServers

/// Pillow, as an implementation that shares no code with libvips; a test that needs it skips where it is
/// missing.
enum Pillow {
    /// Whether Python and Pillow are installed.
    static var isPresent: Bool { python != nil }

    static let advice = "python3 with Pillow is not installed (Scripts/setup does it): skipped"

    /// The first Python that has Pillow: where another stands before the system's, that one may not.
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

    /// What Pillow makes of an image; blocks.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - size: Width and height of the result.
    ///   - expression: Python, in which `image` is the image and whose value is the result.
    /// - Returns: The result, in the pixel format of the image.
    /// - Throws: Where Pillow cannot do it.
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
    /// The mean and the greatest difference of two images of the same size and format, in levels of 255.
    func difference(from other: Image) -> (mean: Double, most: Int) {
        let differences = zip(rgba8(), other.rgba8()).map { abs(Int($0) - Int($1)) }
        return (Double(differences.reduce(0, +)) / Double(differences.count), differences.max() ?? 0)
    }
}
