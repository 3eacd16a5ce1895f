import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// A HEIF file as the libraries take it: without what follows its last box, and without parts that say the
/// same in a way that they refuse.
struct ISOFile {
    /// The file.
    let data: Data
    /// Its boxes.
    let boxes: [ISOBox]

    /// Boxes that files have at their top; one of them that is cut off means that the file is.
    private static let topTypes = Set(
        [
            "ftyp", "styp", "meta", "moov", "mdat", "moof", "mfra", "free", "skip", "wide", "uuid", "sidx",
            "pdin", "idat", "meco", "emsg", "prft", "ssix",
        ].map { ISOBoxType($0) }
    )

    /// Reads the boxes.
    ///
    /// - Throws: `DecodeError` where one is cut off, or there are too many.
    init(_ file: Data, format: ImageFormat) throws(DecodeError) {
        var whole = ISOBox.wholeBoxes(in: file, countMax: ISOBox.countMax + 1, isFile: true)
        // Zeros pass for a box without a size.
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

    /// Whether the bytes behind the last whole box are the beginning of another; a line break, zeros or a
    /// text are none.
    private static func isCutOff(_ rest: Data) -> Bool {
        var reader = ByteReader(rest)
        guard reader.bigEndian(UInt32.self) != nil, let type = reader.bigEndian(UInt32.self) else {
            return false
        }
        return topTypes.contains(ISOBoxType(rawValue: type))
    }
}

extension ISOFile {
    /// Bytes to be replaced by as many others.
    struct Patch {
        let place: Int
        let bytes: [UInt8]
    }

    /// The file with some bytes replaced; all of it is copied.
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

    /// The first byte of a box that has a header of eight bytes.
    func start(of box: ISOBox) -> Int { box.payload.startIndex - data.startIndex - 8 }

    /// The size of a last box that states none and goes on to the end of the file.
    var sizeOfLast: Patch? {
        guard let last = boxes.last, boxes.count > 1 else { return nil }
        let start = start(of: last)
        // A longer head has other bytes here.
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
