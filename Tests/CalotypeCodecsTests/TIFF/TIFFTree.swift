import FoundationEssentials

/// A little-endian TIFF with chained and nested directories, as written by cameras.
struct TIFFTree {
    struct Directory {
        /// 32-bit values; the orientation has 16 bits.
        var longs: [UInt16: [Int]] = [:]
        var texts: [UInt16: String] = [:]
        /// Values of type undefined.
        var blobs: [UInt16: Data] = [:]
        /// A JPEG referenced by tags 513 and 514.
        var jpeg: Data?
        /// The bytes of the only strip.
        var strip: Data?
        /// Indices of directories; a number beyond the list is an offset in the file.
        var children: [Int] = []
        var next: Int?
    }

    /// The bytes after the offset of the first directory.
    var head = Data()
    var version = 42
    var directories: [Directory]

    /// The offset of a directory depends on the sizes of those before it.
    var data: Data {
        var places = directories.map { _ in 0 }
        var file = Data()
        // Sizes do not depend on offsets, so two rounds suffice.
        for _ in 0..<2 {
            file = integer(0x4949, 2) + integer(version, 2) + integer(places[0], 4) + head
            for (index, directory) in directories.enumerated() {
                file += bytes(of: directory, at: file.count, places, index)
            }
            var start = 8 + head.count
            for (index, directory) in directories.enumerated() {
                let block = bytes(of: directory, at: start, places, index)
                places[index] = start + block.count - directorySize(directory)
                start += block.count
            }
        }
        return file
    }

    private func tagCount(_ directory: Directory) -> Int {
        directory.longs.count + directory.texts.count + directory.blobs.count
            + (directory.jpeg == nil ? 0 : 2)
            + (directory.strip == nil ? 0 : 2) + (directory.children.isEmpty ? 0 : 1)
    }

    private func directorySize(_ directory: Directory) -> Int { 2 + 12 * tagCount(directory) + 4 }

    private func bytes(of directory: Directory, at start: Int, _ places: [Int], _ index: Int) -> Data {
        var values = Data()
        var entries: [UInt16: (type: Int, count: Int, bytes: Data)] = [:]
        for (tag, numbers) in directory.longs {
            // Exif readers expect the orientation in 16 bits.
            let (type, byteCount) = tag == 274 ? (3, 2) : (4, 4)
            entries[tag] = (type, numbers.count, numbers.reduce(Data()) { $0 + integer($1, byteCount) })
        }
        for (tag, text) in directory.texts { entries[tag] = (2, text.utf8.count + 1, Data(text.utf8) + [0]) }
        for (tag, blob) in directory.blobs { entries[tag] = (7, blob.count, blob) }
        if !directory.children.isEmpty {
            let offsets = directory.children.map { places.indices.contains($0) ? places[$0] : $0 }
            entries[330] = (4, offsets.count, offsets.reduce(Data()) { $0 + integer($1, 4) })
        }
        for (picture, tags) in [(directory.jpeg, (513, 514)), (directory.strip, (273, 279))] {
            guard let picture else { continue }
            entries[UInt16(tags.0)] = (4, 1, integer(start + values.count, 4))
            entries[UInt16(tags.1)] = (4, 1, integer(picture.count, 4))
            values += picture
        }
        var list = Data()
        for (tag, entry) in entries.sorted(by: { $0.key < $1.key }) {
            list += integer(Int(tag), 2) + integer(entry.type, 2) + integer(entry.count, 4)
            if entry.bytes.count <= 4 {
                list += entry.bytes + Data(count: 4 - entry.bytes.count)
            } else {
                list += integer(start + values.count, 4)
                values += entry.bytes
            }
        }
        let next = directory.next.map { places.indices.contains($0) ? places[$0] : $0 } ?? 0
        return values + integer(entries.count, 2) + list + integer(next, 4)
    }

    private func integer(_ value: Int, _ byteCount: Int) -> Data {
        Data((0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
}
