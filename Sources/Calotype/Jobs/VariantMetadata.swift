internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// The metadata stored with an encoded variant.
///
/// With it the variant is delivered without a codec and, if the original has left the stores, without its
/// origin. Format: a version byte, the XXH3 hash of the original (or a 0 byte if it was not needed), the
/// header, and the record of the origin's response if it fits; integers are little-endian.
struct VariantMetadata: Hashable, Sendable {
    /// The XXH3 hash of the original; `nil` if it was not needed.
    var contentHash: UInt64?
    /// The properties in the variant's header; `nil` in entries of the first version.
    var info: ImageInfo?
    /// The HTTP record of the original.
    var record: ResponseRecord?

    /// The maximum size that stores accept, in bytes.
    private static let maxByteCount = 4_096
    private static let version: UInt8 = 2

    init(contentHash: UInt64? = nil, info: ImageInfo? = nil, record: ResponseRecord? = nil) {
        (self.contentHash, self.info, self.record) = (contentHash, info, record)
    }

    /// Decodes the result of ``encoded()``, also of the first version; `nil` for other data.
    init?(encoded data: Data) {
        var reader = ByteReader(data)
        switch reader.littleEndian(UInt8.self) {
        case 1:
            guard let hash = reader.littleEndian(UInt64.self), reader.remainingByteCount == 0 else {
                return nil
            }
            contentHash = hash
        case Self.version:
            guard let hash = reader.optional(UInt64.self), let info = ImageInfo(takenFrom: &reader) else {
                return nil
            }
            (contentHash, self.info) = (hash, info)
            let rest = reader.bytes(reader.remainingByteCount) ?? Data()
            record = ResponseRecord(encoded: Data(rest))
        default: return nil
        }
    }

    /// Returns the known state of the original.
    func validation(allowing allowance: StaleAllowance) -> Validation? {
        guard let contentHash, let record else { return nil }
        return Validation(
            record: record,
            contentHash: contentHash,
            receivedAt: record.receivedAt,
            allowing: allowance
        )
    }

    /// Encodes the metadata; empty without a header, and without the record if it is too long.
    func encoded() -> Data {
        guard let info else { return Data() }
        var bytes = [Self.version]
        bytes.append(contentHash)
        info.append(to: &bytes)
        let record = record?.encoded() ?? Data()
        return bytes.count + record.count <= Self.maxByteCount ? Data(bytes) + record : Data(bytes)
    }
}

extension ImageInfo {
    fileprivate init?(takenFrom reader: inout ByteReader) {
        guard let format = reader.text(),
            let pixelFormat = reader.text().flatMap(PixelFormat.init(rawValue:)),
            let dynamicRange = reader.text().flatMap(DynamicRange.init(rawValue:)),
            let width = reader.count(), let height = reader.count(), let frameCount = reader.count(),
            let orientation = reader.count().flatMap(Orientation.init(rawValue:)),
            let bitDepth = reader.count(), let flags = reader.littleEndian(UInt8.self), flags <= 3,
            let loopCount = reader.optional(UInt64.self), let seconds = reader.optional(UInt64.self),
            let attoseconds = reader.optional(UInt64.self),
            // With larger numbers, arithmetic and `Duration.components` may trap.
            max(seconds ?? 0, attoseconds ?? 0) < 1_000_000_000_000_000_000
        else { return nil }
        let duration = seconds.map { seconds in
            Duration(
                secondsComponent: Int64(clamping: seconds),
                attosecondsComponent: Int64(clamping: attoseconds ?? 0)
            )
        }
        self.init(
            format: ImageFormat(rawValue: format),
            size: PixelSize(width: width, height: height),
            orientation: orientation,
            frameCount: frameCount,
            loopCount: loopCount.map { $0 == 0 ? .infinite : .times(Int(clamping: $0)) },
            animationDuration: duration,
            hasAlpha: flags & 1 != 0,
            hasColorProfile: flags & 2 != 0,
            bitDepth: bitDepth,
            dynamicRange: dynamicRange,
            pixelFormat: pixelFormat
        )
    }

    fileprivate func append(to bytes: inout [UInt8]) {
        for text in [format.rawValue, pixelFormat.rawValue, dynamicRange.rawValue] {
            bytes.append(text: text)
        }
        for count in [size.width, size.height, frameCount, orientation.rawValue, bitDepth] {
            bytes.append(integer: UInt32(clamping: count))
        }
        bytes.append((hasAlpha ? 1 : 0) | (hasColorProfile ? 2 : 0))
        bytes.append(loopCount.map { if case .times(let count) = $0 { UInt64(clamping: count) } else { 0 } })
        let duration = animationDuration?.components
        bytes.append(duration.map { UInt64(clamping: $0.seconds) })
        bytes.append(duration.map { UInt64(clamping: $0.attoseconds) })
    }
}

extension ByteReader {
    /// Reads a 32-bit number.
    fileprivate mutating func count() -> Int? { littleEndian(UInt32.self).map { Int($0) } }

    /// Reads a byte for the presence of a value, and the value.
    fileprivate mutating func optional<Value: FixedWidthInteger & UnsignedInteger>(
        _ type: Value.Type
    ) -> Value?? {
        switch littleEndian(UInt8.self) {
        case 0: .some(nil)
        case 1: littleEndian(type).map { .some($0) }
        default: nil
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ value: UInt64?) {
        append(value == nil ? 0 : 1)
        if let value { append(integer: value) }
    }
}
