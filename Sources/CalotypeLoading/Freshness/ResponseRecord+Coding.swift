import CalotypeCore
import CalotypeSupport
public import FoundationEssentials

// The encoded form, version 1. Integers are little endian; texts are UTF-8 after a 16-bit byte count.
//
//   version        1 byte, 1
//   status         2 bytes
//   sent at        8 bytes, nanoseconds since 1970
//   received at    8 bytes, the same
//   vary           text: names in lower case, sorted, joined by commas; `*`; or empty
//   digest         32 bytes, only if `vary` has names: SHA-256 of the request's values of these
//   fields         until the end: 1 byte for the name, ascending, and a text; 8 is not a field, but the
//                  seconds for which redirects are valid, in decimal; 9 is the digest of the URL
//
// Other versions are rejected: the entry then counts as one without a record.
extension ResponseRecord {
    /// The most bytes of an encoded record.
    public static let maxEncodedByteCount = 4_096

    private static let version: UInt8 = 1

    /// Returns the encoded record, at most ``maxEncodedByteCount`` bytes.
    public func encoded() -> Data {
        var bytes = [Self.version]
        bytes.reserveCapacity(256)
        bytes.append(integer: UInt16(status))
        bytes.append(integer: UInt64(bitPattern: sentAt.nanosecondsSince1970))
        bytes.append(integer: UInt64(bitPattern: receivedAt.nanosecondsSince1970))
        bytes.append(text: selector.vary)
        if case .fields(_, let digest) = selector { bytes += digest }
        for name in RecordedFields.Name.allCases {
            guard let value = fields[name] else { continue }
            bytes.append(name.rawValue)
            bytes.append(text: value)
        }
        return Data(bytes)
    }

    /// Decodes a record; `nil` for bytes not produced by ``encoded()`` of this version.
    public init?(encoded data: Data) {
        guard data.count <= Self.maxEncodedByteCount else { return nil }
        var reader = ByteReader(data)
        guard
            reader.littleEndian(UInt8.self) == Self.version,
            let status = reader.littleEndian(UInt16.self), (200...999).contains(status),
            let sentAt = reader.littleEndian(UInt64.self),
            let receivedAt = reader.littleEndian(UInt64.self),
            Int64(bitPattern: sentAt) <= Int64(bitPattern: receivedAt),
            let selector = VariantSelector(takenFrom: &reader),
            let fields = RecordedFields(takenFrom: &reader)
        else { return nil }
        self.init(
            status: Int(status),
            sentAt: Timestamp(nanosecondsSince1970: Int64(bitPattern: sentAt)),
            receivedAt: Timestamp(nanosecondsSince1970: Int64(bitPattern: receivedAt)),
            selector: selector,
            fields: fields
        )
    }
}

extension VariantSelector {
    fileprivate init?(takenFrom reader: inout ByteReader) {
        guard let vary = reader.text() else { return nil }
        switch VariantSelector.names(vary) {
        case nil: self = .unknown
        case []?: self = .nothing
        case let names?:
            guard let digest = reader.bytes(Self.digestByteCount) else { return nil }
            self = .fields(names, digest: Data(digest))
        }
        guard self.vary == vary else { return nil }
    }
}

extension RecordedFields {
    fileprivate init?(takenFrom reader: inout ByteReader) {
        self.init()
        var last: UInt8 = 0
        while let number = reader.littleEndian(UInt8.self) {
            guard number > last, let name = Name(rawValue: number), let value = reader.text(),
                set(name, value)
            else { return nil }
            last = number
        }
    }
}
