import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import CalotypeTransforms
import FoundationEssentials
import Glibc

/// Transforms a small image many times, and reports the memory in use, in a separate process.
///
///     TransformProbe COUNT
///
/// Prints two lines, after a tenth of the transforms and after all: bytes held by libvips, and kilobytes of
/// resident memory, separated by a tab.
@main
struct TransformProbe {
    static func main() throws {
        guard CommandLine.arguments.count == 2, let count = Int(CommandLine.arguments[1]), count >= 10 else {
            print("usage: TransformProbe COUNT")
            exit(2)
        }
        let picture = TestImages.photograph(PixelSize(width: 48, height: 36), format: .rgba8)
        try run(count / 10, on: picture)
        try report()
        try run(count - count / 10, on: picture)
        try report()
    }

    /// One transform of each kind that libvips implements differently.
    private static let chains: [TransformChain] = [
        .resize(toWidth: 20), .resize(to: PixelSize(width: 90, height: 50), light: .linear),
        .resize(toWidth: 96, enlarges: true, kernel: .nearest),
        .crop(to: PixelSize(width: 20, height: 20)), .smartCrop(to: PixelSize(width: 20, height: 20)),
        .trim(),
        .pad(by: PixelInsets(all: 5), color: .white), .flip(.horizontal), .rotate(.clockwise90),
        .rotate(byDegrees: 12), .roundCorners(radius: 8, border: Stroke(width: 2, color: .black)), .circle(),
        .border(width: 3, color: .white),
        .overlay(TestImages.disc(PixelSize(width: 9, height: 9), color: .white), isTiled: true),
        .tint(RGBAColor(red: 200, green: 50, blue: 0), blend: .multiply), .blur(sigma: 1.5), .blur(sigma: 20),
        .sharpen(), .adjust(brightness: 0.1, contrast: 1.2, saturation: 0.5, gamma: 1.3, hueDegrees: 40),
        .grayscale, .sepia(), .invert, .flatten(), .pixelate(side: 7), .equalize, .duotone(), .monochrome(),
        .convolve(ConvolutionKernel(rows: [[-1, 2, -1]])), .gradient(.black), .noise(amount: 9),
        .sharpenLightness(sigma: 1), .saturation(aroundBrightness: 0.5),
        .pad(to: PixelSize(width: 60, height: 60), backdrop: .blurred(sigma: 3)),
    ]

    private static func run(_ count: Int, on picture: Image) throws {
        for index in 0..<count { _ = try chains[index % chains.count].apply(to: picture) }
    }

    private static func report() throws {
        let status = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/status")), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        let kilobytes = line.split(separator: " ").compactMap { Int($0) }.first ?? 0
        print("\(VipsPicture.heldByteCount)\t\(kilobytes)")
    }
}
