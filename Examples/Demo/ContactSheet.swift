import Calotype
import Foundation

/// Thumbnails in a grid on a neutral background.
struct ContactSheet {
    private static let cell = PixelSize(width: 240, height: 180)
    private static let gap = 16

    let image: Image

    /// Loads the thumbnails, which are decoded at their size, and draws the sheet.
    init(of urls: [URL], by pipeline: ImagePipeline) async throws {
        var thumbnails: [Image] = []
        for url in urls {
            var request = ImageRequest(url)
            request.decoding.target = .fit(PixelBox(Self.cell))
            request.transforms = [.flatten(onto: RGBColor(red: 0xD8, green: 0xD8, blue: 0xD8))]
            thumbnails.append(try await pipeline.image(for: request))
        }
        image = Self.drawn(thumbnails)
    }

    private static func drawn(_ thumbnails: [Image]) -> Image {
        let columnCount = Int(Double(thumbnails.count * 4 / 3).squareRoot().rounded(.up))
        let rowCount = (thumbnails.count + columnCount - 1) / columnCount
        let (stepX, stepY) = (cell.width + gap, cell.height + gap)
        let size = PixelSize(width: columnCount * stepX + gap, height: rowCount * stepY + gap)
        let pixels = PixelBuffer(byteCount: size.pixelCount * 4) { bytes in
            bytes.initializeMemory(as: UInt32.self, repeating: 0xFFD8_D8D8)
            for (index, thumbnail) in thumbnails.enumerated() {
                let (row, column) = index.quotientAndRemainder(dividingBy: columnCount)
                let left = gap + column * stepX + (cell.width - thumbnail.size.width) / 2
                let top = gap + row * stepY + (cell.height - thumbnail.size.height) / 2
                let (source, byteCount) = (thumbnail.rgba8(), thumbnail.size.width * 4)
                for y in 0..<thumbnail.size.height {
                    let start = ((top + y) * size.width + left) * 4
                    let target = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + byteCount])
                    target.copyBytes(from: source[y * byteCount..<(y + 1) * byteCount])
                }
            }
        }
        return Image(size: size, pixelFormat: .rgba8, pixels: pixels)
    }
}
