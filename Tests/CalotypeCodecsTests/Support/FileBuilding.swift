import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import Testing
import WorkerSupport

struct PNGParts {
    var chunks: [(type: String, payload: Data)] = []

    static let signature = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

    init() {}

    init(_ file: Data) {
        var rest = file.dropFirst(8)
        while rest.count >= 12 {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            chunks.append((type, Data(rest.dropFirst(8).prefix(count))))
            rest = rest.dropFirst(12 + count)
        }
    }

    /// The file with valid check sums.
    var data: Data {
        chunks.reduce(Self.signature) { file, chunk in
            let body = Data(chunk.type.utf8) + chunk.payload
            return file + bigEndian32(chunk.payload.count) + body + bigEndian32(Int(Self.crc32(body)))
        }
    }

    mutating func insert(_ type: String, _ payload: Data, before other: String) {
        let index = chunks.firstIndex { $0.type == other } ?? chunks.count
        chunks.insert((type, payload), at: index)
    }

    /// PNG third edition, annex D.
    private static func crc32(_ bytes: Data) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
            }
        }
    }
}

func bigEndian32(_ value: Int) -> Data {
    Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
}

func littleEndian(_ value: Int, _ byteCount: Int = 4) -> Data {
    Data((0..<byteCount).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
}

func bigEndian16(_ value: Int) -> Data {
    Data([8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
}

/// A TIFF block with a single entry, the orientation.
func exifBlock(orientation: Int, isLittleEndian: Bool = false) -> Data {
    func integer(_ value: Int, _ byteCount: Int) -> Data {
        let bytes = bigEndian32(value).suffix(byteCount)
        return isLittleEndian ? Data(bytes.reversed()) : Data(bytes)
    }
    return Data(isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D]) + integer(42, 2) + integer(8, 4) + integer(1, 2)
        + integer(0x0112, 2) + integer(3, 2) + integer(1, 4) + integer(orientation, 2) + integer(0, 2)
        + integer(0, 4)
}

/// A JPEG file with a segment inserted after its start marker.
func jpeg(_ file: Data, inserting marker: UInt8, _ payload: Data) -> Data {
    Data([0xFF, 0xD8, 0xFF, marker]) + bigEndian16(payload.count + 2) + payload + file.dropFirst(2)
}

extension Image {
    var bytes: [UInt8] { pixels.withUnsafeBytes { [UInt8]($0) } }

    /// The frames up to a maximum count; the image itself if it is a still.
    @discardableResult
    func allFrames(max count: Int = .max) throws -> [Image] {
        guard let animation else { return [self] }
        return try (0..<min(count, animation.frameCount)).map { try animation.decodeFrame(at: $0) }
    }

    /// The mean and the maximum channel difference of two images with equal size and format.
    func difference(to other: Image) -> (mean: Double, worst: Int) {
        let differences = zip(bytes, other.bytes).map { abs(Int($0) - Int($1)) }
        return (Double(differences.reduce(0, +)) / Double(differences.count), differences.max() ?? 0)
    }
}

/// The error that a decode throws, or `nil`.
func decodeError<Value>(_ decode: () throws -> Value) -> DecodeError? {
    do {
        _ = try decode()
        return nil
    } catch let error as DecodeError {
        return error
    } catch {
        Issue.record("not an error of a decoder: \(error)")
        return nil
    }
}

/// The code of the error that an encoder throws, or `nil`.
func encodeErrorCode(_ encode: () throws -> Data) -> EncodeError.Code? {
    do {
        _ = try encode()
        return nil
    } catch {
        return (error as? EncodeError)?.code
    }
}

/// Decodes a file by the registry in the mode of the test.
func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
    try CodecRegistry.tested.decode(data, options: options)
}
