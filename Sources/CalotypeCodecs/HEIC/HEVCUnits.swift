import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The NAL units that a decode goes through, in their order; no more than there may be.
struct HEVCUnits {
    let format: ImageFormat
    private(set) var units: [HEVCUnit] = []

    /// The most NAL units that one decode may go through.
    static let countMax = 50_000

    /// So many slices count as one picture more: where a slice ends is known only when it has been decoded,
    /// and a wrong one goes over all that the others bring.
    static let slicesOfPicture = 8

    init(_ format: ImageFormat) {
        self.format = format
    }

    var parameterSets: [HEVCUnit] { units.filter(\.isParameterSet) }

    var pictureCount: Int { units.count { $0.startsPicture } }

    var sliceCount: Int { units.count { $0.isSlice } }

    /// Adds those of a configuration record (ISO/IEC 14496-15 section 8.3.3.1).
    mutating func append(configuration: Data) throws(DecodeError) {
        var reader = ByteReader(configuration.dropFirst(22))
        let isCutOff = DecodeError(.corrupt, format: format, detail: "a configuration is cut off")
        guard let arrayCount = reader.bigEndian(UInt8.self) else { throw isCutOff }
        for _ in 0..<arrayCount {
            guard reader.bytes(1) != nil, let count = reader.bigEndian(UInt16.self) else { throw isCutOff }
            for _ in 0..<count {
                guard let byteCount = reader.bigEndian(UInt16.self), let unit = reader.bytes(Int(byteCount))
                else { throw isCutOff }
                try append(unit)
            }
        }
    }

    /// Adds those of a stream, each after its length; whether they are all of it.
    mutating func append(stream: Data, lengthByteCount: Int) throws(DecodeError) -> Bool {
        var reader = ByteReader(stream)
        while let length = reader.bytes(lengthByteCount) {
            let byteCount = length.reduce(0) { $0 << 8 | Int($1) }
            guard let unit = reader.bytes(byteCount) else { return false }
            try append(unit)
        }
        return reader.remainingByteCount == 0
    }

    private mutating func append(_ unit: Data) throws(DecodeError) {
        guard units.count < Self.countMax else {
            throw DecodeError(
                .limitExceeded,
                format: format,
                detail: "more than \(Self.countMax) units to decode"
            )
        }
        units.append(HEVCUnit(bytes: unit))
    }
}
