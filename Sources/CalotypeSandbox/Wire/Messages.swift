import CalotypeCodecs
import CalotypeCore
import CalotypeTransforms
import FoundationEssentials

/// A message from the program to a worker, which trusts it: encoded as JSON.
enum Order: Codable {
    /// Enter the sandbox; the memory that comes with it holds the stop flag of jobs.
    case lock(Locking)
    /// Run this job. Inputs of these sizes follow through the pipe; none if the worker has them from the job
    /// before. Memory that comes with it is for pixels.
    case job(Job, inputByteCounts: [Int])
    /// The requested frame; its pixels follow through the pipe.
    case frame(ImageHead)
    /// The reason the frame cannot be provided.
    case noFrame(detail: String)
    /// All payloads of the last response were received.
    case taken
}

/// The parameters of a worker's sandbox.
struct Locking: Codable {
    /// The limit for growth of the address space, in bytes.
    var maxByteCount: Int
    /// The limit of processor time for the life of the process.
    var seconds: Int
    var kind: WorkerKind
}

/// A unit of work for a worker.
enum Job: Codable {
    case info(DecodeLimits)
    case decode(DecodeOptions)
    /// The thumbnail of a file whose first bytes are given.
    case thumbnail(DecodeOptions)
    case frame(session: Int, DecodeOptions, index: Int)
    /// Moves the decoder to the best position for decoding a frame.
    case seek(session: Int, DecodeOptions, index: Int)
    /// The preview of a file whose next bytes are given; the first job of a session comes with the format.
    case preview(session: Int, DecodeOptions)
    /// Encodes an image; frames of an animation are requested one at a time.
    case encode(EncoderMessage, ImageHead)
    /// Transforms, sent before the pixels.
    case transform(ImageHead)
    /// The part of the image that a transform keeps; the transform is sent before the pixels.
    case part(ImageHead)

    var session: Int? {
        switch self {
        case .frame(let session, _, _), .seek(let session, _, _), .preview(let session, _): session
        case .info, .decode, .thumbnail, .encode, .transform, .part: nil
        }
    }
}

/// A message from a worker to the program, which does not trust it: validated field by field.
enum Answer {
    case locked(Locked)
    case info(ImageInfo)
    /// The profile, then the pixels (unless they are in shared memory), then the frame durations follow
    /// through the pipe.
    case image(ImageHead)
    /// The position of the animation decoder.
    case moved(Int)
    /// Nothing to show yet.
    case nothing
    /// This many encoded bytes follow through the pipe.
    case bytes(count: Int)
    case part(PixelRect)
    /// The job needs the frame at this index to continue.
    case needsFrame(Int)
    case failure(label: String, ImageFormat?, detail: String)
}

/// The locks in force in a worker.
struct Locked {
    /// The Landlock ABI version; 0 without Landlock.
    var landlock: Int
    var seccomp: Bool
    var limits: Bool
    /// The first failure; empty if there was none.
    var failure: String
}

extension Locked: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            landlock: try reader.read(in: 0...1_000, "a version"),
            seccomp: try reader.read(),
            limits: try reader.read(),
            failure: try reader.read()
        )
    }

    func write(to writer: inout WireWriter) {
        writer.write(landlock)
        writer.write(seccomp)
        writer.write(limits)
        writer.write(failure)
    }
}

extension Order {
    /// Decodes a message.
    ///
    /// - Throws: `DecodingError` if the program is from another build.
    init(message: [UInt8]) throws {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy =
            .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        self = try decoder.decode(Order.self, from: Data(message))
    }

    /// Encodes the order as a message.
    ///
    /// - Throws: `EncodingError`.
    func message() throws -> [UInt8] {
        let encoder = JSONEncoder()
        // A program may set any scale.
        encoder.nonConformingFloatEncodingStrategy =
            .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return [UInt8](try encoder.encode(self))
    }
}

extension Answer: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.byte() {
        case 0: self = .locked(try reader.read())
        case 1: self = .info(try reader.read())
        case 2: self = .image(try reader.read())
        case 3: self = .moved(try reader.read())
        case 4: self = .nothing
        case 5: self = .bytes(count: try reader.read(in: 0...Int.max, "a number of bytes"))
        case 6:
            self = .failure(
                label: try reader.read(),
                try reader.read(ImageFormat?.self),
                detail: try reader.read()
            )
        case 7: self = .part(try reader.read())
        case 8: self = .needsFrame(try reader.read(in: 0...Int.max, "an index"))
        default: throw WireError("unknown response")
        }
    }

    func write(to writer: inout WireWriter) {
        switch self {
        case .locked(let locked): write(0, locked, to: &writer)
        case .info(let info): write(1, info, to: &writer)
        case .image(let head): write(2, head, to: &writer)
        case .moved(let index): write(3, index, to: &writer)
        case .nothing: writer.write(byte: 4)
        case .bytes(let count): write(5, count, to: &writer)
        case .failure(let label, let format, let detail):
            write(6, label, to: &writer)
            writer.write(format)
            writer.write(detail)
        case .part(let rect): write(7, rect, to: &writer)
        case .needsFrame(let index): write(8, index, to: &writer)
        }
    }

    private func write(_ kind: UInt8, _ value: some Wired, to writer: inout WireWriter) {
        writer.write(byte: kind)
        writer.write(value)
    }
}

extension Wired {
    var message: [UInt8] {
        var writer = WireWriter()
        writer.write(self)
        return writer.bytes
    }

    init(message: [UInt8]) throws(WireError) {
        var reader = WireReader(message)
        self = try reader.read()
        try reader.checkEnd()
    }
}
