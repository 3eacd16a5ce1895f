import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The pages of a file, found without reading their content.
///
/// The pages of a TIFF are the directories of the chain from the first (TIFF 6.0 section 2), each once even
/// if the chain has a cycle; it ends with a directory outside the file. Those of an icon are its images.
struct PageIndex {
    private let file: Data
    private let format: ImageFormat
    /// The offsets of the directories of a TIFF, or of the entries of an icon.
    private let places: [Int]

    /// The maximum number of pages of a TIFF; further ones are ignored.
    static let maxCount = 10_000

    /// The number of pages; at least 1.
    var count: Int { places.count }

    /// Reads the pages; `nil` for a format without pages, and for a file without any.
    init?(_ file: Data, _ format: ImageFormat) {
        (self.file, self.format) = (file, format)
        switch format {
        case .tiff: places = Self.directories(of: file)
        case .ico: places = Self.entries(of: file)
        default: return nil
        }
        guard !places.isEmpty else { return nil }
    }

    /// Returns a file in which a page is the only image that a decoder reads.
    ///
    /// - Parameter index: The page, below ``count``.
    /// - Returns: The file.
    /// - Throws: `DecodeError` with `outOfMemory`.
    func page(at index: Int) throws(DecodeError) -> Data {
        guard count > 1 else { return file }
        guard format == .tiff else { return try icon(of: places[index]) }
        guard index > 0 else { return file }
        return try file.startingTIFF(at: places[index]) ?? file
    }

    /// The icon with one entry in its directory, and the bytes of all images at their offsets.
    private func icon(of place: Int) throws(DecodeError) -> Data {
        try file.copy(replacing: 4..<22, with: [1, 0] + [UInt8](file.dropFirst(place).prefix(16)))
    }

    private static func entries(of file: Data) -> [Int] {
        var reader = ByteReader(file.dropFirst(4))
        guard let count = reader.littleEndian(UInt16.self) else { return [] }
        let whole = min(Int(count), IconDirectory.maxEntryCount, reader.remainingByteCount / 16)
        return (0..<whole).map { 6 + 16 * $0 }
    }

    private static func directories(of file: Data) -> [Int] {
        guard let head = TIFFHeader(file), !head.isPanasonic else { return [] }
        var (places, seen): ([Int], Set<Int>) = ([], [])
        var link = head.isBig ? 8 : 4
        while places.count < maxCount,
            let place = integer(file, at: link, byteCount: head.isBig ? 8 : 4, head), place > 0,
            let entryCount = integer(file, at: place, byteCount: head.isBig ? 8 : 2, head),
            // Entries beyond the end would only be found by a decode.
            entryCount <= file.count / (head.isBig ? 20 : 12), seen.insert(place).inserted
        {
            places.append(place)
            link = place + (head.isBig ? 8 + 20 * entryCount : 2 + 12 * entryCount)
        }
        return places
    }

    private static func integer(_ file: Data, at offset: Int, byteCount: Int, _ head: TIFFHeader) -> Int? {
        guard offset >= 0, offset <= file.count - byteCount else { return nil }
        let bytes = [UInt8](file.dropFirst(offset).prefix(byteCount))
        let value = (head.isLittleEndian ? bytes.reversed() : bytes).reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        return Int(exactly: value)
    }
}
