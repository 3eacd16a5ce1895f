import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

struct WebPParts {
    var chunks: [(type: String, payload: Data)] = []

    init() {}

    init(_ file: Data) {
        chunks = Self.chunks(file.dropFirst(12))
    }

    private static func chunks(_ bytes: Data) -> [(type: String, payload: Data)] {
        var rest = bytes
        var chunks: [(type: String, payload: Data)] = []
        while rest.count >= 8 {
            let count = rest.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: rest.prefix(4), as: UTF8.self)
            chunks.append((type, Data(rest.dropFirst(8).prefix(count))))
            rest = rest.dropFirst(8 + count + count % 2)
        }
        return chunks
    }

    static func chunk(_ type: String, _ payload: Data) -> Data {
        Data(type.utf8) + littleEndian(payload.count, 4) + payload
            + Data(repeating: 0, count: payload.count % 2)
    }

    var data: Data {
        let body = chunks.reduce(Data("WEBP".utf8)) { $0 + Self.chunk($1.type, $1.payload) }
        return Data("RIFF".utf8) + littleEndian(body.count, 4) + body
    }

    /// The chunks of the image alone, as in a frame.
    var picture: Data {
        chunks.filter { ["ALPH", "VP8 ", "VP8L"].contains($0.type) }
            .reduce(Data()) { $0 + Self.chunk($1.type, $1.payload) }
    }

    /// Extends the file with a canvas, and a chunk before or after the image.
    mutating func extend(_ size: PixelSize, _ type: String, _ payload: Data, flags: Int, isFirst: Bool) {
        chunks.removeAll { $0.type == "VP8X" }
        chunks.insert((type, payload), at: isFirst ? 0 : chunks.count)
        chunks.insert(("VP8X", Self.canvas(size, flags: flags)), at: 0)
    }

    static func canvas(_ size: PixelSize, flags: Int) -> Data {
        littleEndian(flags, 4) + littleEndian(size.width - 1, 3) + littleEndian(size.height - 1, 3)
    }
}

/// A frame of an animated file.
struct WebPFrameParts {
    var image: Image
    var x = 0
    var y = 0
    var milliseconds = 40
    var blends = true
    var isDisposed = false
    var encoder = WebPEncoder(isLossless: true, effort: 0)

    func chunk() throws -> (type: String, payload: Data) {
        let head =
            littleEndian(x / 2, 3) + littleEndian(y / 2, 3) + littleEndian(image.size.width - 1, 3)
            + littleEndian(image.size.height - 1, 3) + littleEndian(milliseconds, 3)
            + littleEndian((blends ? 0 : 2) + (isDisposed ? 1 : 0), 1)
        return ("ANMF", head + WebPParts(try encoder.encode(image)).picture)
    }
}

extension WebPParts {
    static func animation(_ canvas: PixelSize, loops: Int = 0, _ frames: [WebPFrameParts]) throws -> WebPParts
    {
        var parts = WebPParts()
        parts.chunks.append(("VP8X", Self.canvas(canvas, flags: 0x12)))
        // A background that must not be visible.
        parts.chunks.append(("ANIM", Data([10, 200, 30, 255]) + littleEndian(loops, 2)))
        for frame in frames { parts.chunks.append(try frame.chunk()) }
        return parts
    }
}

/// One file per kind of pixel coding.
enum WebPFiles {
    static let size = PixelSize(width: 107, height: 83)

    static let stills: [(name: String, data: Data)] = {
        let color = TestImages.photograph(size)
        let alpha = TestImages.photograph(size, format: .rgba8)
        return [
            ("lossy", encoded(WebPEncoder(), color)),
            ("lossless", encoded(WebPEncoder(isLossless: true), color)),
            ("lossy alpha", encoded(WebPEncoder(quality: 60), alpha)),
            ("lossless alpha", encoded(WebPEncoder(isLossless: true), alpha)),
        ]
    }()

    static let animations: [(name: String, data: Data)] = {
        do {
            return [
                ("animated", try animation(isLossless: false).data),
                ("animated lossless", try animation(isLossless: true).data),
            ]
        } catch {
            preconditionFailure("an animation: \(error)")
        }
    }()

    static let all = stills + animations

    static func encoded(_ encoder: some ImageEncoder, _ image: Image) -> Data {
        do {
            return try encoder.encode(image)
        } catch {
            preconditionFailure("\(encoder.cacheIdentity): \(error)")
        }
    }

    /// The lossless animation with damaged pixels in its last frame.
    static func animationWithDamagedEnd() throws -> WebPParts {
        var parts = try animation(isLossless: true)
        let index = parts.chunks.lastIndex { $0.type == "ANMF" } ?? 0
        let count = parts.chunks[index].payload.count
        parts.chunks[index].payload.replaceSubrange(
            60..<count,
            with: Data(repeating: 0xA5, count: count - 60)
        )
        return parts
    }

    /// Six frames with every combination of blending and disposal.
    static func animation(isLossless: Bool, canvas: PixelSize = size) throws -> WebPParts {
        let encoder = WebPEncoder(quality: 90, isLossless: isLossless, effort: 1)
        func frame(_ width: Int, _ height: Int, _ format: PixelFormat, _ seed: UInt64) -> WebPFrameParts {
            let size = PixelSize(width: width, height: height)
            return WebPFrameParts(
                image: TestImages.photograph(size, format: format, seed: seed),
                encoder: encoder
            )
        }
        var frames = [
            frame(canvas.width - 10, canvas.height - 6, .rgba8, 1), frame(40, 35, .rgba8, 2),
            frame(51, 23, .rgb8, 3), frame(60, 60, .rgba8, 4),
            frame(canvas.width, canvas.height, .rgb8, 5), frame(30, 31, .rgba8, 6),
        ]
        (frames[0].x, frames[0].y) = (4, 2)
        (frames[1].x, frames[1].y, frames[1].isDisposed) = (50, 20, true)
        (frames[2].x, frames[2].y, frames[2].milliseconds) = (6, 60, 120)
        (frames[3].x, frames[3].y, frames[3].blends) = (30, 10, false)
        (frames[5].x, frames[5].y) = (20, 30)
        return try .animation(canvas, loops: 3, frames)
    }
}

/// The profile of a JPEG with a single profile segment: ICC.1 annex B.4.
func embeddedProfile(inJPEG file: Data) -> Data? {
    let name = Data("ICC_PROFILE\0\u{1}\u{1}".utf8)
    guard let found = file.firstRange(of: name) else { return nil }
    let count = file[found.lowerBound - 2..<found.lowerBound].reduce(0) { $0 << 8 | Int($1) }
    return file[found.upperBound..<found.lowerBound - 2 + count]
}

/// The payload of an iCCP chunk: a zlib stream (RFC 1950) with one stored block.
func storedProfile(_ profile: Data) -> Data {
    var sums = (1, 0)
    for byte in profile {
        sums.0 = (sums.0 + Int(byte)) % 65521
        sums.1 = (sums.1 + sums.0) % 65521
    }
    return Data("p\0\0".utf8) + Data([0x78, 0x01, 0x01]) + littleEndian(profile.count, 2)
        + littleEndian(~profile.count, 2) + profile + bigEndian16(sums.1) + bigEndian16(sums.0)
}
