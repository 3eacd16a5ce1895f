import CalotypeCore
import FoundationEssentials

/// The directories of a TIFF file: those that follow one another, and those below them (tag 330).
///
/// Each is read once, however often it is pointed at, and no more than a few of them: what points in a circle
/// ends. Those that lie beyond the end, or make no sense, are left out.
///
/// - SeeAlso: TIFF 6.0 section 2; TIFF Technical Note 1 (trees of directories).
struct TIFFDirectories {
    /// The first is the file's first.
    private(set) var all: [TIFFTags]

    /// Those of cameras have up to ten.
    static let countMax = 32
    /// The most that one directory may have below it.
    private static let childCountMax = 16

    /// Reads the directories that are there.
    ///
    /// - Throws: `DecodeError` where the first is damaged or has not come.
    init(_ file: Data) throws(DecodeError) {
        let first = try TIFFTags(file)
        all = [first]
        var seen: Set<Int> = [first.place]
        var waiting = Self.places(behind: first)
        while !waiting.isEmpty, all.count < Self.countMax {
            let place = waiting.removeFirst()
            guard seen.count < 2 * Self.countMax, seen.insert(place).inserted else { continue }
            do throws(DecodeError) {
                let tags = try TIFFTags(file, at: place)
                all.append(tags)
                waiting += Self.places(behind: tags)
            } catch {
                // Of a directory that is damaged, or has not come yet, nothing is used.
            }
        }
    }

    private static func places(behind tags: TIFFTags) -> [Int] {
        do throws(DecodeError) {
            var places: [Int] = []
            for index in 0..<min(tags.count(330), childCountMax) {
                if let place = try tags.integer(330, at: index) { places.append(place) }
            }
            if let next = try tags.nextPlace() { places.append(next) }
            return places
        } catch {
            // A list that is cut off leads nowhere.
            return []
        }
    }
}

extension TIFFTags {
    /// What the directory states, or `nil` where it makes no sense.
    func stated(_ tag: UInt16) -> Int? {
        do throws(DecodeError) {
            return try integer(tag)
        } catch {
            // A value beyond the end is none.
            return nil
        }
    }

    /// What tag 274 states; `nil` where it is absent or makes no sense.
    var orientation: Orientation? { stated(274).flatMap { Orientation(rawValue: $0) } }

    /// Width and height as stored; `nil` where they are not stated.
    var size: PixelSize? {
        guard let width = stated(256), let height = stated(257) else { return nil }
        return PixelSize(width: min(width, 1 << 30), height: min(height, 1 << 30))
    }

    /// Where a whole JPEG lies that the directory points at, if it points at one: by tags 513 and 514, or as
    /// the one strip of an image in JPEG.
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
