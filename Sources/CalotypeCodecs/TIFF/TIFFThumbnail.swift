import CalotypeCore
import FoundationEssentials

/// The reduced image of the first page of a TIFF, in a directory of its own.
struct TIFFThumbnail {
    private let tags: TIFFTags
    private let page: PixelSize
    private let orientation: Orientation

    /// Finds the largest; `nil` if there is none, or its directory has not arrived.
    init?(_ head: Data) {
        do throws(DecodeError) {
            let directories = try TIFFDirectories(head).all
            guard let page = directories[0].size else { return nil }
            let reduced = directories.dropFirst().filter { tags in
                guard let kind = tags.stated(254), let size = tags.size else { return false }
                return kind & 1 == 1 && size.width <= page.width && size.height <= page.height
                    && !size.isEmpty
            }
            guard let largest = reduced.max(by: { Self.pixelCount($0) < Self.pixelCount($1) }) else {
                return nil
            }
            (tags, self.page, orientation) = (largest, page, directories[0].orientation ?? .up)
        } catch {
            // A damaged file counts as one without a thumbnail.
            return nil
        }
    }

    private static func pixelCount(_ tags: TIFFTags) -> Int { tags.size?.pixelCount ?? 0 }

    /// Decodes it; `nil` if its pixels have not arrived, or are not supported.
    func image(of head: Data, options: DecodeOptions) throws(DecodeError) -> Image? {
        if var picture = EmbeddedJPEG(head, tags.jpeg) {
            picture.orientation = orientation
            return try picture.image(.tiff, options: options, showing: page)
        }
        guard let file = try head.startingTIFF(at: tags.place) else { return nil }
        do throws(DecodeError) {
            return try TIFFDecoder().image(of: file, options: options, orientation: orientation)
        } catch {
            guard [.truncated, .unsupportedFeature].contains(error.code) else { throw error }
            return nil
        }
    }
}
