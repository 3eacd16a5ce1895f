import CalotypeCore
import FoundationEssentials

/// The directories of a TIFF file: the chain from the first, and their child directories (tag 330).
///
/// Each is read once, even if it is referenced repeatedly, and their number is limited, so cycles end.
/// Directories beyond the end of the file, or invalid ones, are ignored.
///
/// - SeeAlso: TIFF 6.0 section 2; TIFF Technical Note 1 (trees of directories).
struct TIFFDirectories {
    /// All directories, starting with the file's first.
    private(set) var all: [TIFFTags]

    /// The maximum number of directories; those of cameras have up to ten.
    static let maxCount = 32
    /// The maximum number of children of one directory.
    private static let maxChildCount = 16

    /// Reads the available directories.
    ///
    /// - Throws: `DecodeError` if the first is damaged or has not arrived.
    init(_ file: Data) throws(DecodeError) {
        let first = try TIFFTags(file)
        all = [first]
        var seen: Set<Int> = [first.place]
        var waiting = Self.places(behind: first)
        while !waiting.isEmpty, all.count < Self.maxCount {
            let place = waiting.removeFirst()
            guard seen.count < 2 * Self.maxCount, seen.insert(place).inserted else { continue }
            do throws(DecodeError) {
                let tags = try TIFFTags(file, at: place)
                all.append(tags)
                waiting += Self.places(behind: tags)
            } catch {
                // Ignore a directory that is damaged, or has not arrived yet.
            }
        }
    }

    private static func places(behind tags: TIFFTags) -> [Int] {
        do throws(DecodeError) {
            var places: [Int] = []
            for index in 0..<min(tags.count(330), maxChildCount) {
                if let place = try tags.integer(330, at: index) { places.append(place) }
            }
            if let next = try tags.nextPlace() { places.append(next) }
            return places
        } catch {
            // Ignore a truncated list.
            return []
        }
    }
}

extension TIFFTags {
    /// Returns the integer of a tag, or `nil` if it is absent or invalid.
    func stated(_ tag: UInt16) -> Int? {
        do throws(DecodeError) {
            return try integer(tag)
        } catch {
            // Ignore a value beyond the end of the file.
            return nil
        }
    }

    /// The orientation in tag 274; `nil` if it is absent or invalid.
    var orientation: Orientation? { stated(274).flatMap { Orientation(rawValue: $0) } }

    /// The size as stored; `nil` if it is not stated.
    var size: PixelSize? {
        guard let width = stated(256), let height = stated(257) else { return nil }
        return PixelSize(width: min(width, 1 << 30), height: min(height, 1 << 30))
    }

    /// The position of a complete JPEG referenced by the directory: by tags 513 and 514, or as the only strip
    /// of an image in JPEG.
    var jpeg: Range<Int>? {
        if let start = stated(513), let byteCount = stated(514), byteCount > 0 {
            return start..<start + byteCount
        }
        guard [6, 7].contains(stated(259) ?? 1), count(273) == 1, count(279) == 1,
            let start = stated(273), let byteCount = stated(279), byteCount > 0
        else { return nil }
        return start..<start + byteCount
    }
}
