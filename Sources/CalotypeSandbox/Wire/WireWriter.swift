import FoundationEssentials

/// Encodes the values of a response of a worker.
///
/// Both are from one build, so messages have no version.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(byte: UInt8) { bytes.append(byte) }

    mutating func write(_ value: some Wired) { value.write(to: &self) }

    fileprivate mutating func write(bits: UInt64) {
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: bits >> (8 * shift))) }
    }

    fileprivate mutating func write(text: String) {
        let utf8 = text.utf8.prefix(WireReader.maxTextByteCount)
        write(bits: UInt64(utf8.count))
        bytes.append(contentsOf: utf8)
    }
}

/// Decodes a response, which may be hostile; invalid values throw.
struct WireReader {
    /// The maximum size of a text in bytes; longer texts are truncated.
    static let maxTextByteCount = 1_000

    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func byte() throws(WireError) -> UInt8 {
        guard offset < bytes.count else { throw WireError("truncated message") }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func read<Value: Wired>(_ type: Value.Type = Value.self) throws(WireError) -> Value {
        try Value(from: &self)
    }

    mutating func read(in range: ClosedRange<Int>, _ name: String) throws(WireError) -> Int {
        let value: Int = try read()
        guard range.contains(value) else { throw WireError("\(name) of \(value) is not in \(range)") }
        return value
    }

    func checkEnd() throws(WireError) {
        guard offset == bytes.count else { throw WireError("trailing bytes in a message") }
    }

    fileprivate mutating func bits() throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        for shift in 0..<8 { value |= UInt64(try byte()) << (8 * shift) }
        return value
    }

    fileprivate mutating func text() throws(WireError) -> String {
        let count = try read(in: 0...Self.maxTextByteCount, "a text's length")
        guard count <= bytes.count - offset else { throw WireError("truncated text") }
        defer { offset += count }
        return String(decoding: bytes[offset..<offset + count], as: UTF8.self)
    }
}

/// The description of an invalid message.
struct WireError: Error {
    let detail: String

    init(_ detail: String) { self.detail = detail }
}

/// A value that responses can contain.
protocol Wired {
    init(from reader: inout WireReader) throws(WireError)

    func write(to writer: inout WireWriter)
}

extension Int: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self = Int(truncatingIfNeeded: try reader.bits())
    }

    func write(to writer: inout WireWriter) { writer.write(bits: UInt64(bitPattern: Int64(self))) }
}

extension Double: Wired {
    init(from reader: inout WireReader) throws(WireError) { self = Double(bitPattern: try reader.bits()) }

    func write(to writer: inout WireWriter) { writer.write(bits: bitPattern) }
}

extension Bool: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.byte() {
        case 0: self = false
        case 1: self = true
        default: throw WireError("invalid Boolean")
        }
    }

    func write(to writer: inout WireWriter) { writer.write(byte: self ? 1 : 0) }
}

extension String: Wired {
    init(from reader: inout WireReader) throws(WireError) { self = try reader.text() }

    func write(to writer: inout WireWriter) { writer.write(text: self) }
}

extension Optional: Wired where Wrapped: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self = try reader.read(Bool.self) ? try reader.read(Wrapped.self) : nil
    }

    func write(to writer: inout WireWriter) {
        writer.write(self != nil)
        if let self { writer.write(self) }
    }
}

extension Duration: Wired {
    /// The encoded size in bytes.
    static let wiredByteCount = 16

    init(from reader: inout WireReader) throws(WireError) {
        let seconds: Int = try reader.read()
        let limit = 1_000_000_000_000_000_000
        let attoseconds = try reader.read(in: -limit...limit, "a fraction of a second")
        // Far below the overflow limit.
        guard abs(Double(seconds)) < 1e18 else { throw WireError("duration out of range") }
        self.init(secondsComponent: Int64(seconds), attosecondsComponent: Int64(attoseconds))
    }

    func write(to writer: inout WireWriter) {
        writer.write(Int(components.seconds))
        writer.write(Int(components.attoseconds))
    }
}

/// An enumeration that is encoded by its name.
protocol WiredByName: Wired, RawRepresentable where RawValue == String {}

extension WiredByName {
    init(from reader: inout WireReader) throws(WireError) {
        let name = try reader.read(String.self)
        guard let value = Self(rawValue: name) else { throw WireError("unknown enumeration value") }
        self = value
    }

    func write(to writer: inout WireWriter) { writer.write(rawValue) }
}
