import CalotypeSupport

/// A worker that replies with handmade messages, one field of which is forged as its input says.
///
/// All other replies are true: those of an image of 16×16, or of an animation of two such frames.
public enum LyingWorker {
    /// A job, by its name in messages.
    public enum Job: Int, CaseIterable, Sendable {
        case info, decode, frame, seek, preview, encode, thumbnail, transform, part
    }

    /// Reports an active sandbox, and replies to jobs.
    public static func run() -> Never {
        _ = Forged.receive()
        Forged.send(Forged.locked)
        var known: Forgery?
        while true {
            // Other messages acknowledge a reply.
            guard let order = ReceivedOrder.next().job,
                let job = Job.allCases.first(where: { order.kind.keys.contains("\($0)") })
            else { continue }
            let forgery = read(order.inputByteCounts, job, known)
            // Later jobs of a session have no input.
            known = forgery
            answer(job, forgery)
        }
    }

    /// Reads the inputs.
    ///
    /// - Returns: The forgery named in the inputs, else the known one.
    private static func read(_ counts: [Int], _ job: Job, _ known: Forgery?) -> Forgery? {
        var found: Forgery?
        for count in counts {
            var bytes: [UInt8] = []
            while bytes.count < count {
                var part = [UInt8](repeating: 0, count: min(64 << 10, count - bytes.count))
                let size = Glibc.read(4, &part, part.count)
                if size <= 0 { exit(0) }
                bytes += part.prefix(size)
                found = found ?? Forgery(in: bytes)
                if let found, ends(found, job, at: bytes.count < count ? 1 : 2) { exit(0) }
            }
        }
        return found ?? known
    }

    /// Whether the worker exits at a point; for short input, before and within are one point.
    private static func ends(_ forgery: Forgery, _ job: Job, at point: Int) -> Bool {
        guard forgery.job == job.rawValue else { return false }
        let reply = job.reply(isAnimated: forgery.isAnimated, text: "")
        return forgery.field == reply.placeCount - 1
            && (forgery.value == point || point == 2 && forgery.value < 2)
    }

    private static func answer(_ job: Job, _ forgery: Forgery?) {
        let isAnimated = forgery?.isAnimated ?? false
        let reply = job.reply(isAnimated: isAnimated, text: forgery?.description ?? "")
        var (fields, numbers) = (reply.fields.map(\.bytes), reply.numbers.map(\.bytes))
        var (payload, change, end) = (reply.payload, -1, -1)
        if let forgery, forgery.job == job.rawValue {
            let (place, value) = (forgery.field, forgery.value)
            switch place {
            case ..<fields.count: fields[place] = reply.fields[place].lies[value]
            case ..<(fields.count + numbers.count):
                numbers[place - fields.count] = reply.numbers[place - fields.count].lies[value]
            case fields.count + numbers.count: change = value
            default: end = value
            }
        }
        let message = Array(fields.joined())
        switch change {
        case 0: Forged.send([])
        case 1: Forged.send(Array(message.dropLast()))
        case 2: Forged.send(message + [0])
        case 3: Forged.send([UInt8](repeating: 2, count: 15 << 10))
        default: Forged.send(message)
        }
        // With a payload, it arrives before the end of the job: later it could be the reply to the next job.
        if change == ForgedReply.repetition, !reply.payload.isEmpty { Forged.send(message) }
        if end == 3 { exit(0) }
        payload += numbers.joined()
        if change == 5 { payload += [UInt8](repeating: 1, count: 3_000) }
        if change == 6 { payload = payload.dropLast() }
        if end == 4 { payload = Array(payload.prefix(payload.count / 2)) }
        _ = payload.isEmpty ? 0 : write(5, payload, payload.count)
        if end == 4 || end == 5 { exit(0) }
    }
}

extension LyingWorker.Job {
    /// The true reply to the job.
    ///
    /// - Parameters:
    ///   - isAnimated: Whether the reply is that of an animation.
    ///   - text: The text in the pixels, for jobs with pixels as input.
    /// - Returns: The reply, with the bytes that follow it.
    func reply(isAnimated: Bool, text: String) -> ForgedReply {
        switch self {
        case .info: Self.info(isAnimated)
        case .decode, .frame: Self.image(isAnimated, isWhole: self == .decode, text)
        case .seek: ForgedReply(fields: [.byte(3), .integer(0)])
        case .preview, .thumbnail: Self.image(isAnimated, isWhole: false, text)
        case .encode:
            ForgedReply(fields: [.byte(5), .integer(100)], payload: Self.file(isAnimated))
        case .transform: Self.image(isAnimated, isWhole: false, hasProfile: false, text)
        case .part:
            ForgedReply(fields: [.byte(7), .integer(1), .integer(1), .integer(8), .integer(8)])
        }
    }

    private static let side = 16

    /// Bytes with the signature of the format.
    private static func file(_ isAnimated: Bool) -> [UInt8] {
        let start = isAnimated ? Array("GIF89a".utf8) : [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]
        return start + [UInt8](repeating: 0, count: 100 - start.count)
    }

    private static func format(_ isAnimated: Bool) -> ForgedField { .text(isAnimated ? "gif" : "png") }

    private static func info(_ isAnimated: Bool) -> ForgedReply {
        var fields: [ForgedField] = [
            .byte(1), format(isAnimated), .integer(side), .integer(side), .integer(1),
        ]
        fields += [.integer(isAnimated ? 2 : 1)]
        // The loop count and the duration.
        fields +=
            isAnimated ? [.byte(1), .integer(3), .byte(1), .integer(1), .integer(0)] : [.byte(0), .byte(0)]
        fields += [.byte(0), .byte(0), .integer(8), .text("standard"), .text("rgb8")]
        return ForgedReply(fields: fields)
    }

    private static func image(
        _ isAnimated: Bool,
        isWhole: Bool,
        hasProfile: Bool = true,
        _ text: String
    ) -> ForgedReply {
        let hasProfile = hasProfile && !isWhole
        var fields: [ForgedField] = [.byte(2), .integer(side), .integer(side), .text("rgb8"), .number(1)]
        fields += [.byte(1), format(isAnimated), .integer(1), .byte(1), .byte(0), .byte(0), .byte(0)]
        // Colours by code points, the copyright, and the light.
        fields += [.byte(1), .integer(1), .integer(13), .byte(1), .text("a"), .text("b"), .text("linear")]
        // A profile, three blocks of metadata, rows, an animation, an offset in the pixel memory.
        fields += [.integer(hasProfile ? 12 : 0), .integer(0), .integer(0), .integer(0), .integer(side)]
        var reply = ForgedReply(fields: fields)
        if isAnimated, isWhole {
            reply.fields += [.byte(1), .integer(2), .integer(0), .byte(0), .byte(1)]
            reply.numbers = [.integer(1), .integer(0), .integer(1), .integer(0)]
        } else {
            reply.fields += [.byte(0)]
        }
        reply.fields += [.byte(0)]
        if hasProfile { reply.payload = [UInt8](repeating: 8, count: 12) }
        let count = side * side * 3
        let pixels = Array(text.utf8.prefix(count))
        reply.payload += pixels + [UInt8](repeating: 7, count: count - pixels.count)
        return reply
    }
}
