import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The boxes of Canon's CR3: a movie whose first track has one sample, the image as JPEG, and proprietary
/// boxes with a smaller one and the tags of TIFF.
///
/// Damaged parts are ignored; boxes are read as far as they have arrived.
struct CanonMovie {
    private(set) var jpegs: [Range<Int>?] = []
    private(set) var orientation: Orientation?
    private let file: Data

    /// The maximum number of boxes at one level; a file of a camera has about twenty.
    private static let maxBoxCount = 256
    private static let maxTrackCount = 8
    private static let tags = Data([
        0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
    ])
    private static let preview = Data([
        0xEA, 0xF4, 0x2B, 0x5E, 0x1C, 0x98, 0x4B, 0x88, 0xB9, 0xFB, 0xB7, 0xDC, 0x40, 0x6E, 0x4D, 0x16,
    ])

    static func isStart(of file: Data) -> Bool { file.dropFirst(4).starts(with: Data("ftypcrx ".utf8)) }

    init(_ file: Data) {
        self.file = file
        for box in Self.boxes(in: file) {
            if box.type == .movie { readMovie(box.payload) }
            if box.type == ISOBoxType("uuid"), box.payload.starts(with: Self.preview) {
                // A count of boxes comes first.
                jpegs.append(Self.boxes(in: box.payload.dropFirst(24)).first.flatMap(previewPlace))
            }
        }
    }

    private mutating func readMovie(_ payload: Data) {
        var trackCount = 0
        for box in Self.boxes(in: payload) {
            if box.type == ISOBoxType("uuid"), box.payload.starts(with: Self.tags) {
                let blocks = Self.boxes(in: box.payload.dropFirst(16))
                let block = blocks.first { $0.type == ISOBoxType("CMT1") }?.payload
                orientation = block.flatMap { ExifFields($0).orientation }
            } else if box.type == ISOBoxType("trak"), trackCount < Self.maxTrackCount {
                trackCount += 1
                jpegs.append(Self.samplePlace(box.payload))
            }
        }
    }

    /// Returns the JPEG, which follows a width, a height and a length.
    private func previewPlace(_ box: ISOBox) -> Range<Int>? {
        guard box.type == ISOBoxType("PRVW"), box.payload.count > 16 else { return nil }
        let start = box.payload.startIndex - file.startIndex + 16
        return start..<start + box.payload.count - 16
    }

    /// Returns the first sample of a track: the first size, at the first offset.
    private static func samplePlace(_ track: Data) -> Range<Int>? {
        var tables = track
        for name in ["mdia", "minf", "stbl"] {
            guard let box = boxes(in: tables).first(where: { $0.type == ISOBoxType(name) }) else {
                return nil
            }
            tables = box.payload
        }
        var (start, byteCount) = (Int?.none, Int?.none)
        for box in boxes(in: tables) {
            guard var table = ISOFullBox(box.payload) else { continue }
            switch box.type {
            case ISOBoxType("stsz"):
                guard let each = table.integer(byteCount: 4), table.integer(byteCount: 4) != nil else {
                    continue
                }
                byteCount = each > 0 ? each : table.integer(byteCount: 4)
            case ISOBoxType("co64"), ISOBoxType("stco"):
                guard table.integer(byteCount: 4) != nil else { continue }
                start = table.integer(byteCount: box.type == ISOBoxType("co64") ? 8 : 4)
            default: break
            }
        }
        guard let start, let byteCount, start <= Int.max - byteCount else { return nil }
        return start..<start + byteCount
    }

    /// Returns the complete boxes of some bytes.
    private static func boxes(in bytes: Data) -> [ISOBox] {
        ISOBox.wholeBoxes(in: bytes, maxCount: maxBoxCount)
    }
}
