import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The directory of an icon or cursor: the images of the file, and their positions.
struct IconDirectory {
    struct Entry {
        /// The size in the image's own header, or that in the directory if the header cannot be read.
        let size: PixelSize
        let bitsPerPixel: Int
        /// True for a PNG, false for a bitmap.
        let isPNG: Bool
        /// The position of its bytes; not checked against the end of the file.
        let range: Range<Int>
    }

    /// The images in the order of the file; at least one.
    let entries: [Entry]

    /// The maximum number of images; real files have at most a few dozen sizes.
    static let maxEntryCount = 1024

    /// Reads the directory, and the first bytes of each image.
    init(_ file: Data) throws(DecodeError) {
        var reader = ByteReader(file)
        guard let reserved = reader.littleEndian(UInt16.self),
            let kind = reader.littleEndian(UInt16.self),
            let entryCount = reader.littleEndian(UInt16.self)
        else { throw .truncatedICO("the file ends in its first 6 bytes") }
        guard reserved == 0, (1...2).contains(kind), entryCount > 0 else {
            throw .corruptICO("invalid directory of an icon or cursor")
        }
        guard entryCount <= Self.maxEntryCount else {
            throw DecodeError(
                .limitExceeded,
                format: .ico,
                detail: "\(entryCount) images in an icon, the limit is \(Self.maxEntryCount)"
            )
        }
        var entries: [Entry] = []
        for _ in 0..<entryCount {
            guard let bytes = reader.bytes(16) else { throw .truncatedICO("the directory is truncated") }
            entries.append(Entry([UInt8](bytes), of: file))
        }
        self.entries = entries
    }

    /// The image with the most pixels; among equals the one with the most bits, then the first.
    var best: Entry {
        entries.dropFirst().reduce(entries[0]) { best, entry in
            let (most, count) = (best.size.pixelCount, entry.size.pixelCount)
            if count != most { return count > most ? entry : best }
            return entry.bitsPerPixel > best.bitsPerPixel ? entry : best
        }
    }

    /// Returns the smallest image that covers the result of a decode; `nil` if that is the largest image.
    ///
    /// It has the proportions of the largest, so that the result has the same size, and no fewer bits.
    func entry(for target: DecodeOptions.Target, of fileByteCount: Int) -> Entry? {
        let best = best
        guard !best.size.isEmpty else { return nil }
        let result = target.resultSize(for: best.size)
        let suited = entries.filter { entry in
            let size = entry.size
            return size.pixelCount < best.size.pixelCount && size.width >= result.width
                && size.height >= result.height && entry.bitsPerPixel >= best.bitsPerPixel
                && entry.range.upperBound <= fileByteCount && target.resultSize(for: size) == result
        }
        return suited.min { ($0.size.pixelCount, $1.bitsPerPixel) < ($1.size.pixelCount, $0.bitsPerPixel) }
    }

    /// Returns the bytes of an image.
    ///
    /// - Throws: `DecodeError` if they do not all lie between the directory and the end of the file.
    func bytes(of entry: Entry, in file: Data) throws(DecodeError) -> Data {
        let directoryEnd = 6 + 16 * entries.count
        guard entry.range.lowerBound >= directoryEnd else {
            throw .corruptICO("an image starts at byte \(entry.range.lowerBound), in the directory")
        }
        guard entry.range.upperBound <= file.count else {
            throw .truncatedICO("an image ends at byte \(entry.range.upperBound) of \(file.count)")
        }
        return file.dropFirst(entry.range.lowerBound).prefix(entry.range.count)
    }
}

extension IconDirectory.Entry {
    /// Reads an entry of 16 bytes; a side of 0 means 256.
    fileprivate init(_ entry: [UInt8], of file: Data) {
        let words = [8, 12].map { start in
            entry[start..<start + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        range = words[1]..<words[1] + words[0]
        let head = file.dropFirst(range.lowerBound).prefix(min(range.count, 26))
        isPNG = head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let own = isPNG ? Self.pngHeader(ByteReader(head)) : Self.bitmapHeader(ByteReader(head))
        let sides = entry[0..<2].map { $0 == 0 ? 256 : Int($0) }
        size = own?.size ?? PixelSize(width: sides[0], height: sides[1])
        bitsPerPixel = own?.bitsPerPixel ?? 0
    }

    private typealias Claim = (size: PixelSize, bitsPerPixel: Int)

    /// Reads IHDR, after the signature and the chunk header.
    private static func pngHeader(_ start: ByteReader) -> Claim? {
        var head = start
        guard head.bytes(16) != nil,
            let width = head.bigEndian(UInt32.self), let height = head.bigEndian(UInt32.self),
            let depth = head.bigEndian(UInt8.self), let colorType = head.bigEndian(UInt8.self)
        else { return nil }
        let channelCount = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 1
        return (PixelSize(width: Int(width), height: Int(height)), Int(depth) * channelCount)
    }

    /// Reads `BITMAPINFOHEADER`, whose height includes the rows of the mask.
    private static func bitmapHeader(_ start: ByteReader) -> Claim? {
        var head = start
        guard head.littleEndian(UInt32.self) != 12,
            let width = head.littleEndian(UInt32.self), let rowCount = head.littleEndian(UInt32.self),
            head.bytes(2) != nil, let bitsPerPixel = head.littleEndian(UInt16.self)
        else { return nil }
        let height = abs(Int(Int32(truncatingIfNeeded: rowCount))) / 2
        return (PixelSize(width: Int(width), height: height), Int(bitsPerPixel))
    }
}

extension DecodeError {
    static func truncatedICO(_ detail: String) -> DecodeError {
        DecodeError(.truncated, format: .ico, detail: detail)
    }

    static func corruptICO(_ detail: String) -> DecodeError {
        DecodeError(.corrupt, format: .ico, detail: detail)
    }
}
