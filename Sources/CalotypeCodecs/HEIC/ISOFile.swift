import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// A HEIF file prepared for the libraries: without data after its last box, and without redundant parts that
/// they reject.
struct ISOFile {
    let data: Data
    let boxes: [ISOBox]

    /// Top-level boxes; if one of them is incomplete, the file is truncated.
    private static let topTypes = Set(
        [
            "ftyp", "styp", "meta", "moov", "mdat", "moof", "mfra", "free", "skip", "wide", "uuid", "sidx",
            "pdin", "idat", "meco", "emsg", "prft", "ssix",
        ].map { ISOBoxType($0) }
    )

    /// Reads the boxes.
    ///
    /// - Throws: `DecodeError` if one is incomplete, or there are too many.
    init(_ file: Data, format: ImageFormat) throws(DecodeError) {
        var whole = ISOBox.wholeBoxes(in: file, maxCount: ISOBox.maxCount + 1, isFile: true)
        // Zeros look like a box without a size.
        while whole.last?.type.rawValue == 0 { whole.removeLast() }
        let end = whole.last.map { $0.payload.endIndex - file.startIndex } ?? 0
        guard end < file.count, whole.contains(where: { [.meta, .movie].contains($0.type) }),
            !Self.isCutOff(file.dropFirst(end))
        else {
            boxes = try ISOBox.boxes(in: file, format: format, isFile: true)
            data = file
            return
        }
        boxes = whole
        data = file.prefix(end)
    }

    /// Returns whether the bytes after the last complete box are the beginning of another; a line break,
    /// zeros or text are not.
    private static func isCutOff(_ rest: Data) -> Bool {
        var reader = ByteReader(rest)
        guard reader.bigEndian(UInt32.self) != nil, let type = reader.bigEndian(UInt32.self) else {
            return false
        }
        return topTypes.contains(ISOBoxType(rawValue: type))
    }
}

extension ISOFile {
    /// A replacement of bytes by the same number of others.
    struct Patch {
        let place: Int
        let bytes: [UInt8]
    }

    /// Returns a copy of the file with some bytes replaced.
    ///
    /// - Throws: `DecodeError` with `outOfMemory`.
    func patched(_ patches: [Patch]) throws(DecodeError) -> Data {
        guard !patches.isEmpty else { return data }
        var parts: [Data] = []
        var end = 0
        for patch in patches.sorted(by: { $0.place < $1.place }) {
            parts += [data.dropFirst(end).prefix(patch.place - end), Data(patch.bytes)]
            end = patch.place + patch.bytes.count
        }
        return try EncodedBytes(parts + [data.dropFirst(end)]).data
    }

    /// Returns the offset of a box with a header of eight bytes.
    func start(of box: ISOBox) -> Int { box.payload.startIndex - data.startIndex - 8 }

    /// The size for a last box that states none and extends to the end of the file.
    var sizeOfLast: Patch? {
        guard let last = boxes.last, boxes.count > 1 else { return nil }
        let start = start(of: last)
        // A longer header has other bytes here.
        let head = Data(count: 4) + Self.bigEndian(last.type.rawValue)
        guard data.dropFirst(start).prefix(8).elementsEqual(head),
            let size = UInt32(exactly: data.count - start)
        else { return nil }
        return Patch(place: start, bytes: Self.bigEndian(size))
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
