import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The items of a HEIF file and their relations (ISO/IEC 23008-12 section 6), parsed for checks before a
/// library that trusts them reads the file.
struct HEIFItems {
    struct Item {
        var type: ISOBoxType
        /// The position of its bytes, in the file or in the item data.
        var extents: [Extent] = []
        /// The indices of its properties, from 1.
        var properties: [Int] = []
    }

    struct Extent {
        let isInItemData: Bool
        let offset: Int
        /// 0 for everything up to the end.
        let byteCount: Int
    }

    let format: ImageFormat
    let file: Data
    private(set) var itemData = Data()
    private(set) var primary = 0
    private(set) var items: [Int: Item] = [:]
    private(set) var properties: [ISOBox] = []
    private var associationCount = 0
    private(set) var inputs: [Int: [Int]] = [:]
    /// The alpha and other auxiliary images of each item.
    private(set) var auxiliaries: [Int: [Int]] = [:]
    private(set) var thumbnails: [Int: [Int]] = [:]

    /// The maximum number of items, references, and extents.
    static let maxCount = 20_000
    /// The maximum number of properties, counted for every item that has them.
    private static let maxAssociationCount = 10 * maxCount

    init(_ file: Data, boxes: [ISOBox], format: ImageFormat) throws(DecodeError) {
        self.format = format
        self.file = file
        let metas = boxes.filter { $0.type == .meta }
        guard metas.count == 1 else {
            throw DecodeError(.corrupt, format: format, detail: "\(metas.count) meta boxes, not one")
        }
        try readMeta(metas[0].payload)
    }

    func corrupt(_ detail: String) -> DecodeError {
        DecodeError(.corrupt, format: format, detail: detail)
    }

    private mutating func readMeta(_ payload: Data) throws(DecodeError) {
        var seen: Set<ISOBoxType> = []
        let once = ["pitm", "iinf", "iloc", "iprp", "iref", "idat"].map { ISOBoxType($0) }
        let boxes = try ISOBox.boxes(in: payload.dropFirst(4), format: format)
        for box in boxes where once.contains(box.type) {
            guard seen.insert(box.type).inserted else { throw corrupt("two boxes \(box.type)") }
        }
        // Item infos come first, since the other boxes extend them.
        let ordered = boxes.filter { $0.type == once[1] } + boxes.filter { $0.type != once[1] }
        for box in ordered {
            guard try read(box) else { throw corrupt("the box \(box.type) is truncated") }
        }
    }

    private mutating func read(_ box: ISOBox) throws(DecodeError) -> Bool {
        switch box.type {
        case ISOBoxType("pitm"): return readPrimary(box.payload)
        case ISOBoxType("iinf"): return try readInfos(box.payload)
        case ISOBoxType("iloc"): return try readLocations(box.payload)
        case ISOBoxType("iprp"): return try readProperties(box.payload)
        case ISOBoxType("iref"): return try readReferences(box.payload)
        case ISOBoxType("idat"): itemData = box.payload
        default: break
        }
        return true
    }

    private mutating func readPrimary(_ payload: Data) -> Bool {
        guard var box = ISOFullBox(payload), let id = box.integer(byteCount: box.version == 0 ? 2 : 4) else {
            return false
        }
        primary = id
        return true
    }

    /// Section 8.11.6 of ISO/IEC 14496-12.
    private mutating func readInfos(_ payload: Data) throws(DecodeError) -> Bool {
        guard let box = ISOFullBox(payload) else { return false }
        let entries = payload.dropFirst(box.version == 0 ? 6 : 8)
        for entry in try ISOBox.boxes(in: entries, format: format) where entry.type == ISOBoxType("infe") {
            guard var info = ISOFullBox(entry.payload),
                let id = info.integer(byteCount: info.version < 3 ? 2 : 4),
                info.integer(byteCount: 2) != nil,
                let type = info.version < 2 ? 0 : info.integer(byteCount: 4)
            else { return false }
            items[id] = Item(type: ISOBoxType(rawValue: UInt32(type)))
        }
        return true
    }

    /// Section 8.11.3 of ISO/IEC 14496-12.
    private mutating func readLocations(_ payload: Data) throws(DecodeError) -> Bool {
        guard var box = ISOFullBox(payload), let sizes = box.integer(byteCount: 2) else { return false }
        let idByteCount = box.version < 2 ? 2 : 4
        guard let count = box.integer(byteCount: idByteCount) else { return false }
        try checkCount(count, of: "items")
        var extentCount = 0
        for _ in 0..<count {
            guard let id = box.integer(byteCount: idByteCount),
                let method = box.version == 0 ? 0 : box.integer(byteCount: 2),
                box.integer(byteCount: 2) != nil,
                let base = box.integer(byteCount: sizes >> 4 & 15),
                let extents = box.integer(byteCount: 2)
            else { return false }
            extentCount += extents
            try checkCount(extentCount, of: "extents")
            for _ in 0..<extents {
                guard box.integer(byteCount: box.version == 0 ? 0 : sizes & 15) != nil,
                    let offset = box.integer(byteCount: sizes >> 12 & 15),
                    let byteCount = box.integer(byteCount: sizes >> 8 & 15)
                else { return false }
                let (start, overflows) = base.addingReportingOverflow(offset)
                guard !overflows else { return false }
                let extent = Extent(isInItemData: method & 15 == 1, offset: start, byteCount: byteCount)
                items[id]?.extents.append(extent)
            }
        }
        return true
    }

    /// Section 9.3 of ISO/IEC 23008-12.
    private mutating func readProperties(_ payload: Data) throws(DecodeError) -> Bool {
        let boxes = try ISOBox.boxes(in: payload, format: format)
        let containers = boxes.filter { $0.type == ISOBoxType("ipco") }
        guard containers.count == 1 else { throw corrupt("\(containers.count) boxes of properties, not one") }
        properties = try ISOBox.boxes(in: containers[0].payload, format: format)
        for box in boxes where box.type == ISOBoxType("ipma") {
            guard try readAssociations(box.payload) else { return false }
        }
        return true
    }

    private mutating func readAssociations(_ payload: Data) throws(DecodeError) -> Bool {
        guard var box = ISOFullBox(payload), let count = box.integer(byteCount: 4) else { return false }
        try checkCount(count, of: "associations")
        let indexByteCount = box.flags & 1 == 1 ? 2 : 1
        for _ in 0..<count {
            guard let id = box.integer(byteCount: box.version < 1 ? 2 : 4),
                let indexCount = box.integer(byteCount: 1)
            else { return false }
            associationCount += indexCount
            try checkCount(associationCount, of: "properties of items", max: Self.maxAssociationCount)
            for _ in 0..<indexCount {
                guard let index = box.integer(byteCount: indexByteCount) else { return false }
                items[id]?.properties.append(index & (indexByteCount == 1 ? 0x7F : 0x7FFF))
            }
        }
        return true
    }

    /// Section 8.11.12 of ISO/IEC 14496-12.
    private mutating func readReferences(_ payload: Data) throws(DecodeError) -> Bool {
        guard let header = ISOFullBox(payload) else { return false }
        let idByteCount = header.version == 0 ? 2 : 4
        var total = 0
        for box in try ISOBox.boxes(in: payload.dropFirst(4), format: format) {
            // Not a full box, but it starts with integers too.
            guard var reader = ISOFullBox(Data(count: 4) + box.payload),
                let from = reader.integer(byteCount: idByteCount),
                let count = reader.integer(byteCount: 2)
            else { return false }
            total += count
            try checkCount(total, of: "references")
            for _ in 0..<count {
                guard let to = reader.integer(byteCount: idByteCount) else { return false }
                addReference(box.type, from: from, to: to)
            }
        }
        return true
    }

    private mutating func addReference(_ type: ISOBoxType, from: Int, to: Int) {
        switch type {
        case ISOBoxType("dimg"): inputs[from, default: []].append(to)
        case ISOBoxType("auxl"): auxiliaries[to, default: []].append(from)
        case ISOBoxType("thmb"): thumbnails[to, default: []].append(from)
        default: break
        }
    }

    private func checkCount(_ count: Int, of what: String, max: Int = maxCount) throws(DecodeError) {
        guard count <= max else {
            throw DecodeError(
                .limitExceeded,
                format: format,
                detail: "\(count) \(what), the limit is \(max)"
            )
        }
    }
}
