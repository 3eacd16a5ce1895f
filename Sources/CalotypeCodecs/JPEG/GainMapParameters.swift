import CalotypeCore
import FoundationEssentials

extension GainMapParameters {
    /// Adobe's names of the numbers, and the finite range that is plausible for each.
    private static let names: [String: ClosedRange<Double>] = [
        "GainMapMin": -64...64, "GainMapMax": -64...64, "Gamma": 0.001...100, "OffsetSDR": -1...1,
        "OffsetHDR": -1...1, "HDRCapacityMin": 0...64, "HDRCapacityMax": 0...64,
    ]

    /// The most bytes of a description, and of the payload of ISO 21496-1, which has 62 or 142.
    private static let maxByteCounts = (xmp: 16_384, standard: 256)

    /// Reads the parameters in the file of a map; `nil` without any, or for a map that reduces the range.
    ///
    /// Only the first segment of each kind counts.
    init?(ofFile file: Data) {
        self.init()
        let (xmp, identifier) = (Data("http://ns.adobe.com/xap/1.0/\0".utf8), GainMapFile.standardIdentifier)
        let segments = JPEGSegments(file).prefix(100).map(\.self)
        if let segment = segments.first(where: { $0.marker == 0xE1 && $0.payload.starts(with: xmp) }) {
            readXMP(segment.payload.dropFirst(xmp.count))
        }
        let isStandard = { (segment: JPEGSegments.Segment) in
            segment.marker == 0xE2 && segment.payload.starts(with: identifier)
        }
        if let segment = segments.first(where: isStandard) {
            let payload = [UInt8](segment.payload.dropFirst(identifier.count))
            // The minimum version, the version, the flags, and the numbers.
            let isKnown = payload.starts(with: [0, 0]) && payload.count <= Self.maxByteCounts.standard
            if isKnown, payload.count > 5 { standard = payload }
        }
        if values.isEmpty, standard.isEmpty { return nil }
    }

    private mutating func readXMP(_ payload: Data) {
        guard payload.count <= Self.maxByteCounts.xmp else { return }
        let bytes = [UInt8](payload)
        guard bytes.offset(of: "http://ns.adobe.com/hdr-gain-map/1.0/") != nil,
            bytes.offset(of: "hdrgm:BaseRenditionIsHDR=\"True\"") == nil
        else { return }
        var found: [String: [Double]] = [:]
        for (name, range) in Self.names {
            guard let numbers = Self.numbers("hdrgm:\(name)", in: bytes), !numbers.isEmpty else { continue }
            guard [1, 3].contains(numbers.count), numbers.allSatisfy(range.contains) else { return }
            found[name] = numbers
        }
        // The other properties have defaults.
        if found["GainMapMax"] != nil { values = found }
    }

    /// Returns the numbers of a property: an attribute, an element, or a list within an element.
    private static func numbers(_ name: String, in bytes: [UInt8]) -> [Double]? {
        let all = 0..<bytes.count
        for quote in ["\"", "'"] {
            if let value = content(between: "\(name)=\(quote)", and: quote, in: bytes, all) {
                return number(bytes[value]).map { [$0] }
            }
        }
        guard let element = content(between: "<\(name)>", and: "</\(name)>", in: bytes, all) else {
            return nil
        }
        if let single = number(bytes[element]) { return [single] }
        var (numbers, rest) = ([Double](), element)
        while numbers.count < 4, let item = content(between: "<rdf:li>", and: "</rdf:li>", in: bytes, rest) {
            guard let value = number(bytes[item]) else { return nil }
            numbers.append(value)
            rest = item.upperBound..<rest.upperBound
        }
        return numbers
    }

    private static func content(
        between start: String,
        and end: String,
        in bytes: [UInt8],
        _ range: Range<Int>
    ) -> Range<Int>? {
        guard let found = bytes.offset(of: start, from: range.lowerBound, to: range.upperBound) else {
            return nil
        }
        let first = found + start.utf8.count
        return bytes.offset(of: end, from: first, to: range.upperBound).map { first..<$0 }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Double? {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let digits = bytes.drop { blanks.contains($0) }.prefix { !blanks.contains($0) }
        guard (1...32).contains(digits.count), let text = String(validating: digits, as: UTF8.self),
            let value = Double(text), value.isFinite
        else { return nil }
        return value
    }

    // MARK: Writing

    /// The description in the file of the map.
    var properties: String {
        var (attributes, elements) = ("", "")
        for (name, numbers) in values.sorted(by: { $0.key < $1.key }) {
            if numbers.count == 1 {
                attributes += " hdrgm:\(name)=\"\(numbers[0])\""
            } else {
                let items = numbers.map { "<rdf:li>\($0)</rdf:li>" }.joined()
                elements += "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
            }
        }
        return Self.packet("\(attributes) hdrgm:BaseRenditionIsHDR=\"False\"", elements)
    }

    /// The description in the file of the image: the pictures in it.
    static func directory(mapByteCount: Int) -> String {
        let container = "http://ns.google.com/photos/1.0/container/"
        func item(_ attributes: String) -> String {
            "<rdf:li rdf:parseType=\"Resource\"><Container:Item \(attributes)/></rdf:li>"
        }
        let items =
            item("Item:Semantic=\"Primary\" Item:Mime=\"image/jpeg\"")
            + item("Item:Semantic=\"GainMap\" Item:Mime=\"image/jpeg\" Item:Length=\"\(mapByteCount)\"")
        return packet(
            " xmlns:Container=\"\(container)\" xmlns:Item=\"\(container)item/\"",
            "<Container:Directory><rdf:Seq>\(items)</rdf:Seq></Container:Directory>"
        )
    }

    private static func packet(_ attributes: String, _ elements: String) -> String {
        "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
            + "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
            + "<rdf:Description rdf:about=\"\" xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\""
            + " hdrgm:Version=\"1.0\"\(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>"
    }
}
