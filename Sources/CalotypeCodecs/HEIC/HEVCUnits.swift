import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The NAL units of a decode in their order, limited in number.
struct HEVCUnits {
    let format: ImageFormat
    private(set) var units: [HEVCUnit] = []

    /// The maximum number of NAL units of one decode.
    static let maxCount = 50_000

    /// The number of slices that count as one more picture: the end of a slice is known only after decoding
    /// it, and a wrong slice can cover the area of all others.
    static let slicesOfPicture = 8

    init(_ format: ImageFormat) {
        self.format = format
    }

    var parameterSets: [HEVCUnit] { units.filter(\.isParameterSet) }

    var pictureCount: Int { units.count { $0.startsPicture } }

    var sliceCount: Int { units.count { $0.isSlice } }

    /// Appends the units of a configuration record (ISO/IEC 14496-15 section 8.3.3.1).
    mutating func append(configuration: Data) throws(DecodeError) {
        var reader = ByteReader(configuration.dropFirst(22))
        let isCutOff = DecodeError(.corrupt, format: format, detail: "a configuration is truncated")
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

    /// Appends the units of a stream, each preceded by its length; returns whether they fill it exactly.
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
        guard units.count < Self.maxCount else {
            throw DecodeError(
                .limitExceeded,
                format: format,
                detail: "more than \(Self.maxCount) units to decode"
            )
        }
        units.append(HEVCUnit(bytes: unit))
    }
}
