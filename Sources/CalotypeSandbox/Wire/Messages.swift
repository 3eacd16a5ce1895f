import CalotypeCodecs
import CalotypeCore
import CalotypeTransforms

/// What a program tells a worker.
enum Order {
    /// Lock yourself in; the memory that comes with it is the word by which a job is stopped.
    case lock(Locking)
    /// Do this; inputs of so many bytes come through the pipe, none where the worker has them from the job
    /// before. Memory that comes with it is room for pixels.
    case job(Job, inputByteCounts: [Int])
    /// The frame that was asked for; its pixels come through the pipe.
    case frame(ImageHead)
    /// Why there is no such frame.
    case noFrame(detail: String)
    /// All that went with the last answer has come.
    case taken
}

/// How a worker locks itself in.
struct Locking: Wired {
    /// By how many bytes its address space may grow.
    var byteCountMax: Int
    /// Processor time for all of its life.
    var seconds: Int
    var kind: WorkerKind

    init(byteCountMax: Int, seconds: Int, kind: WorkerKind) {
        (self.byteCountMax, self.seconds, self.kind) = (byteCountMax, seconds, kind)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            byteCountMax: try reader.read(in: 0...Int.max, "a limit"),
            seconds: try reader.read(in: 0...Int.max, "a limit"),
            kind: try reader.read()
        )
    }

    func write(to writer: inout WireWriter) {
        writer.write(byteCountMax)
        writer.write(seconds)
        writer.write(kind)
    }
}

/// One piece of work.
enum Job {
    case info(DecodeLimits)
    case decode(DecodeOptions)
    /// The small picture in a file of which these are the first bytes.
    case thumbnail(DecodeOptions)
    /// The frame of an index, composited.
    case frame(session: Int, DecodeOptions, index: Int)
    /// Moves to where decoding can go on towards a frame.
    case seek(session: Int, DecodeOptions, index: Int)
    /// What can be shown of a file of which these are the next bytes; the first of a session comes with the
    /// format.
    case preview(session: Int, DecodeOptions)
    /// Of an animation, the frames are asked for as they are needed.
    case encode(WiredEncoder, ImageHead)
    /// Transforms, which come before the pixels.
    case transform(ImageHead)
    /// What of the pixels the transform leaves that comes before them.
    case part(ImageHead)

    /// The number of what it is a part of.
    var session: Int? {
        switch self {
        case .frame(let session, _, _), .seek(let session, _, _), .preview(let session, _): session
        case .info, .decode, .thumbnail, .encode, .transform, .part: nil
        }
    }
}

/// What a worker tells its program.
enum Answer {
    case locked(Locked)
    case info(ImageInfo)
    /// Its profile, its pixels, unless these are in the room for them, and the durations of its frames come
    /// through the pipe, in this order.
    case image(ImageHead)
    /// Where the decoder of an animation stands.
    case moved(Int)
    /// There is nothing to show yet.
    case nothing
    /// So many encoded bytes come through the pipe.
    case bytes(count: Int)
    case part(PixelRect)
    /// The frame of this index is needed before the job can go on.
    case needsFrame(Int)
    case failure(label: String, ImageFormat?, detail: String)
}

/// How far a worker is locked in.
struct Locked: Wired {
    /// The version of Landlock's interface; 0 for none.
    var landlock: Int
    var seccomp: Bool
    var limits: Bool
    /// What failed first; empty where nothing did.
    var failure: String

    init(landlock: Int, seccomp: Bool, limits: Bool, failure: String) {
        (self.landlock, self.seccomp, self.limits) = (landlock, seccomp, limits)
        self.failure = failure
    }

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

extension Order: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.byte() {
        case 0: self = .lock(try reader.read())
        case 1: self = .job(try reader.read(), inputByteCounts: try reader.read())
        case 2: self = .taken
        case 3: self = .frame(try reader.read())
        case 4: self = .noFrame(detail: try reader.read())
        default: throw WireError("unknown order")
        }
    }

    func write(to writer: inout WireWriter) {
        switch self {
        case .lock(let locking):
            writer.write(byte: 0)
            writer.write(locking)
        case .job(let job, let inputByteCounts):
            writer.write(byte: 1)
            writer.write(job)
            writer.write(inputByteCounts)
        case .taken: writer.write(byte: 2)
        case .frame(let head):
            writer.write(byte: 3)
            writer.write(head)
        case .noFrame(let detail):
            writer.write(byte: 4)
            writer.write(detail)
        }
    }
}

extension Job: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.byte() {
        case 0: self = .info(try reader.read())
        case 1: self = .decode(try reader.read())
        case 2: self = .frame(session: try reader.read(), try reader.read(), index: try reader.read())
        case 3: self = .seek(session: try reader.read(), try reader.read(), index: try reader.read())
        case 4: self = .preview(session: try reader.read(), try reader.read())
        case 5: self = .encode(try reader.read(), try reader.read())
        case 6: self = .thumbnail(try reader.read())
        case 7: self = .transform(try reader.read())
        case 8: self = .part(try reader.read())
        default: throw WireError("unknown job")
        }
    }

    func write(to writer: inout WireWriter) {
        switch self {
        case .info(let limits): write(0, limits, to: &writer)
        case .decode(let options): write(1, options, to: &writer)
        case .frame(let session, let options, let index):
            write(2, session, options, to: &writer)
            writer.write(index)
        case .seek(let session, let options, let index):
            write(3, session, options, to: &writer)
            writer.write(index)
        case .preview(let session, let options):
            write(4, session, options, to: &writer)
        case .encode(let encoder, let head):
            writer.write(byte: 5)
            writer.write(encoder)
            writer.write(head)
        case .thumbnail(let options): write(6, options, to: &writer)
        case .transform(let head): write(7, head, to: &writer)
        case .part(let head): write(8, head, to: &writer)
        }
    }

    private func write(_ kind: UInt8, _ value: some Wired, to writer: inout WireWriter) {
        writer.write(byte: kind)
        writer.write(value)
    }

    private func write(_ kind: UInt8, _ session: Int, _ options: DecodeOptions, to writer: inout WireWriter) {
        writer.write(byte: kind)
        writer.write(session)
        writer.write(options)
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
    /// The value as a message.
    var message: [UInt8] {
        var writer = WireWriter()
        writer.write(self)
        return writer.bytes
    }

    /// The value of a message.
    init(message: [UInt8]) throws(WireError) {
        var reader = WireReader(message)
        self = try reader.read()
        try reader.checkEnd()
    }
}
