import CalotypeCodecs
import CalotypeCore
import CalotypeTransforms
import FoundationEssentials

extension PixelFormat: WiredByName {}
extension DynamicRange: WiredByName {}
extension ResamplingLight: WiredByName {}

extension PixelSize: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self.init(width: try reader.read(), height: try reader.read())
    }

    func write(to writer: inout WireWriter) {
        writer.write(width)
        writer.write(height)
    }
}

extension PixelRect: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            x: try reader.read(),
            y: try reader.read(),
            width: try reader.read(),
            height: try reader.read()
        )
    }

    func write(to writer: inout WireWriter) {
        for number in [x, y, width, height] { writer.write(number) }
    }
}

extension ImageFormat: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        let name = try reader.read(String.self)
        guard (1...32).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw WireError("invalid format name")
        }
        self.init(rawValue: name)
    }

    func write(to writer: inout WireWriter) { writer.write(rawValue) }
}

extension ColorSpace: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.byte() {
        case 0: self = .sRGB
        case 1:
            let points = 0...255
            self = .cicp(
                primaries: try reader.read(in: points, "a code point"),
                transfer: try reader.read(in: points, "a code point")
            )
        default: throw WireError("unknown colour space")
        }
    }

    /// A profile is too long for a message, so it follows the message.
    func write(to writer: inout WireWriter) {
        guard case .cicp(let primaries, let transfer) = self else { return writer.write(byte: 0) }
        writer.write(byte: 1)
        writer.write(primaries)
        writer.write(transfer)
    }
}

extension Orientation: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        guard let value = Orientation(rawValue: try reader.read()) else {
            throw WireError("unknown orientation")
        }
        self = value
    }

    func write(to writer: inout WireWriter) { writer.write(rawValue) }
}

extension Copyright: Wired {
    /// The initializer of `Copyright` validates the texts.
    init(from reader: inout WireReader) throws(WireError) {
        let copyright = Copyright(artist: try reader.read(), notice: try reader.read())
        guard let copyright else { throw WireError("empty copyright") }
        self = copyright
    }

    func write(to writer: inout WireWriter) {
        writer.write(artist)
        writer.write(notice)
    }
}

extension LoopCount: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        // The maximum of any format.
        let count = try reader.read(in: 0...Int.max, "a loop count")
        self = count == 0 ? .infinite : .times(count)
    }

    func write(to writer: inout WireWriter) {
        if case .times(let count) = self { writer.write(max(1, count)) } else { writer.write(0) }
    }
}

extension ImageInfo: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            format: try reader.read(),
            size: try reader.read(),
            orientation: try reader.read(),
            frameCount: try reader.read(in: AnimationHead.frameCounts, "a number of frames"),
            loopCount: try reader.read(LoopCount?.self),
            animationDuration: try reader.read(Duration?.self),
            hasAlpha: try reader.read(),
            hasColorProfile: try reader.read(),
            bitDepth: try reader.read(in: 1...64, "a depth in bits"),
            dynamicRange: try reader.read(),
            pixelFormat: try reader.read()
        )
        guard animationDuration.map(AnimationHead.durations.contains) ?? true else {
            throw WireError("invalid animation duration: \(animationDuration.map { "\($0)" } ?? "")")
        }
    }

    func write(to writer: inout WireWriter) {
        writer.write(format)
        writer.write(size)
        writer.write(orientation)
        writer.write(frameCount)
        writer.write(loopCount)
        writer.write(animationDuration.map { min($0, .maxAnimation) })
        writer.write(hasAlpha)
        writer.write(hasColorProfile)
        writer.write(bitDepth)
        writer.write(dynamicRange)
        writer.write(pixelFormat)
    }
}

/// The properties of an animation except its frame durations.
struct AnimationHead {
    var frameCount: Int
    var loopCount: LoopCount
    /// True if the bytes of the file are the animation, unchanged (`Animation.encodedData`).
    var isWhole: Bool
    /// True if the image is the first frame, and not a separate still for viewers without animation.
    var beginsWithImage: Bool

    static let frameCounts = 1...Int(UInt32.max)
    static let durations = Duration.zero...Duration.maxAnimation
}

extension AnimationHead: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            frameCount: try reader.read(in: Self.frameCounts, "a number of frames"),
            loopCount: try reader.read(),
            isWhole: try reader.read(),
            beginsWithImage: try reader.read()
        )
    }

    func write(to writer: inout WireWriter) {
        writer.write(frameCount)
        writer.write(loopCount)
        writer.write(isWhole)
        writer.write(beginsWithImage)
    }

    init(_ animation: Animation, of image: Image) {
        self.init(
            frameCount: animation.frameCount,
            loopCount: animation.loopCount,
            isWhole: animation.encodedData != nil,
            // The first frame may also be resident because it was displayed.
            beginsWithImage: animation.residentFrame(at: 0)?.pixels === image.pixels
        )
    }

    /// Decodes the frame durations from the bytes that follow a message.
    func durations(from bytes: Data) throws(WireError) -> [Duration] {
        var reader = WireReader([UInt8](bytes))
        var durations: [Duration] = []
        for _ in 0..<frameCount { durations.append(try reader.read()) }
        return durations
    }
}

extension Animation {
    /// The frame durations as bytes that follow a message.
    var durationBytes: Data {
        var writer = WireWriter()
        // Codecs outside the library may state durations above the maximum.
        for index in 0..<frameCount { writer.write(min(duration(ofFrameAt: index), .maxFrame)) }
        return Data(writer.bytes)
    }
}
