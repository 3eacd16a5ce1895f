import CalotypeCore
import FoundationEssentials

/// Small images in a grid on a neutral background, each centred in its cell, with its caption below.
struct ContactSheet {
    /// The size of the area for an image.
    static let cell = PixelSize(width: 240, height: 180)

    private static let gap = 16
    private static let background: UInt8 = 0xD8

    private static let captionGap = 6

    private let images: [Image]
    private let captions: [Image]
    private let captionHeight: Int

    /// The number of images in a row.
    let columnCount: Int

    /// Creates a sheet of at least one image, none of them larger than a cell.
    ///
    /// - Parameters:
    ///   - images: The images, row by row.
    ///   - captions: A caption for each image, no wider than a cell; default: no captions.
    init(_ images: [Image], captions: [Image] = []) {
        self.images = images
        self.captions = captions
        captionHeight = captions.map { $0.size.height + Self.captionGap }.max() ?? 0
        columnCount = max(1, min(images.count, Int(Double(images.count * 4 / 3).squareRoot().rounded(.up))))
    }

    var size: PixelSize {
        let rowCount = max(1, (images.count + columnCount - 1) / columnCount)
        return PixelSize(
            width: columnCount * (Self.cell.width + Self.gap) + Self.gap,
            height: rowCount * (Self.cell.height + captionHeight + Self.gap) + Self.gap
        )
    }

    /// Draws the sheet.
    ///
    /// - Complexity: O(pixels).
    func drawn() -> Image {
        let size = size
        let pixels = PixelBuffer(byteCount: size.pixelCount * 3) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: Self.background)
            for (index, image) in images.enumerated() {
                draw(image, at: origin(of: index, for: image.size), into: bytes, width: size.width)
            }
            for (index, caption) in captions.enumerated() {
                draw(caption, at: captionOrigin(of: index, for: caption.size), into: bytes, width: size.width)
            }
        }
        return Image(size: size, pixelFormat: .rgb8, pixels: pixels)
    }

    private func origin(of index: Int, for size: PixelSize) -> (x: Int, y: Int) {
        let corner = corner(ofCell: index)
        return (
            corner.x + (Self.cell.width - size.width) / 2, corner.y + (Self.cell.height - size.height) / 2
        )
    }

    private func captionOrigin(of index: Int, for size: PixelSize) -> (x: Int, y: Int) {
        let corner = corner(ofCell: index)
        return (
            corner.x + (Self.cell.width - size.width) / 2, corner.y + Self.cell.height + Self.captionGap
        )
    }

    private func corner(ofCell index: Int) -> (x: Int, y: Int) {
        let (row, column) = index.quotientAndRemainder(dividingBy: columnCount)
        return (
            Self.gap + column * (Self.cell.width + Self.gap),
            Self.gap + row * (Self.cell.height + captionHeight + Self.gap)
        )
    }

    private func draw(
        _ image: Image,
        at origin: (x: Int, y: Int),
        into bytes: UnsafeMutableRawBufferPointer,
        width: Int
    ) {
        image.rgba8().withUnsafeBytes { source in
            for y in 0..<image.size.height {
                for x in 0..<image.size.width {
                    let from = (y * image.size.width + x) * 4
                    let to = ((origin.y + y) * width + origin.x + x) * 3
                    let alpha = Int(source[from + 3])
                    for channel in 0..<3 {
                        let sum =
                            Int(source[from + channel]) * alpha + Int(bytes[to + channel]) * (255 - alpha)
                        bytes[to + channel] = UInt8((sum + 127) / 255)
                    }
                }
            }
        }
    }
}
