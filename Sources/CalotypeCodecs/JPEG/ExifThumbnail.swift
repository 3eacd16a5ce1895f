import CalotypeCore
import FoundationEssentials

/// The thumbnail in the Exif block of a JPEG: a JPEG referenced by the second directory.
struct ExifThumbnail {
    let picture: EmbeddedJPEG
    /// The size of the image as stored; `nil` if its header has not arrived.
    let imageSize: PixelSize?

    private static let maxSegmentCount = 200
    private static let prefix = Data("Exif\0\0".utf8)

    /// Searches the available segments; fails without a thumbnail.
    init?(jpeg head: Data) {
        var (block, size) = (Data?.none, PixelSize?.none)
        for segment in JPEGSegments(head).prefix(Self.maxSegmentCount) {
            if segment.marker == 0xE1, block == nil, segment.payload.starts(with: Self.prefix) {
                block = Data(segment.payload.dropFirst(Self.prefix.count))
            }
            guard [0xC0, 0xC1, 0xC2].contains(segment.marker), segment.payload.count >= 5 else { continue }
            let numbers = [UInt8](segment.payload.prefix(5)).map { Int($0) }
            size = PixelSize(width: numbers[3] << 8 | numbers[4], height: numbers[1] << 8 | numbers[2])
        }
        guard let block, let picture = Self.picture(in: block) else { return nil }
        (self.picture, imageSize) = (picture, size)
    }

    private static func picture(in block: Data) -> EmbeddedJPEG? {
        do throws(DecodeError) {
            let image = try TIFFTags(block)
            guard let place = try image.nextPlace() else { return nil }
            var picture = EmbeddedJPEG(block, try TIFFTags(block, at: place).jpeg)
            // The image's orientation applies, whatever the thumbnail states.
            picture?.orientation = image.orientation ?? .up
            return picture
        } catch {
            // Damaged Exif counts as no thumbnail.
            return nil
        }
    }
}
