import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// Encodes QOI: gray and RGB with three channels, RGBA with four.
public struct QOIEncoder: ImageEncoder {
    /// Creates an encoder; the format has no settings.
    public init() {}

    /// QOI.
    public var format: ImageFormat { .qoi }

    /// `qoi1`.
    public var cacheIdentity: String { "qoi1" }

    /// Encodes an image.
    ///
    /// - Throws: `EncodeError` with `unsupportedFeature` where a side is longer than 2³² − 1 pixels.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        guard max(image.size.width, image.size.height) <= UInt32.max else {
            throw EncodeError(.unsupportedFeature, format: .qoi, detail: "\(image.size) is too long")
        }
        let image = try Self.standard(image)
        var writer = QOIWriter()
        image.pixels.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: image.pixelFormat.bytesPerPixel) {
                switch image.pixelFormat {
                case .gray8:
                    writer.write(QOIPixel(red: bytes[start], green: bytes[start], blue: bytes[start]))
                case .rgb8:
                    writer.write(QOIPixel(red: bytes[start], green: bytes[start + 1], blue: bytes[start + 2]))
                case .rgba8:
                    let (red, green, blue) = (bytes[start], bytes[start + 1], bytes[start + 2])
                    writer.write(QOIPixel(red: red, green: green, blue: blue, alpha: bytes[start + 3]))
                case .rgba16, .rgbaF16:
                    preconditionFailure("the image has 8 bits a channel by now")
                }
            }
        }
        let sides = [image.size.width, image.size.height].flatMap { side in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) }
        }
        let channels: [UInt8] = [image.pixelFormat == .rgba8 ? 4 : 3, 0]
        return Data(QOIHeader.magic + sides + channels + writer.finished())
    }

    /// QOI has 8 bits a channel and no profile: what has more is rounded and converted.
    private static func standard(_ image: Image) throws(EncodeError) -> Image {
        do throws(DecodeError) {
            return try image.convertedToStandard()
        } catch {
            throw EncodeError(.outOfMemory, format: .qoi, detail: error.detail)
        }
    }
}

/// Finds the shortest chunk for each pixel.
private struct QOIWriter {
    private var bytes: [UInt8] = []
    private var seen = [QOIPixel](repeating: .unseen, count: 64)
    private var last = QOIPixel()
    private var runCount = 0

    /// The chunks, with the mark at the end.
    mutating func finished() -> [UInt8] {
        endRun()
        return bytes + QOIHeader.endMark
    }

    mutating func write(_ pixel: QOIPixel) {
        guard pixel != last else {
            runCount += 1
            if runCount == 62 { endRun() }
            return
        }
        endRun()
        if seen[pixel.place] == pixel {
            bytes.append(UInt8(pixel.place))
        } else {
            writeDifference(pixel)
        }
        seen[pixel.place] = pixel
        last = pixel
    }

    private mutating func endRun() {
        guard runCount > 0 else { return }
        bytes.append(0xC0 | UInt8(runCount - 1))
        runCount = 0
    }

    private mutating func writeDifference(_ pixel: QOIPixel) {
        guard pixel.alpha == last.alpha else {
            bytes += [0xFF, pixel.red, pixel.green, pixel.blue, pixel.alpha]
            return
        }
        let red = Int(Int8(bitPattern: pixel.red &- last.red))
        let green = Int(Int8(bitPattern: pixel.green &- last.green))
        let blue = Int(Int8(bitPattern: pixel.blue &- last.blue))
        let small = -2...1
        if small.contains(red), small.contains(green), small.contains(blue) {
            bytes.append(UInt8(0x40 | (red + 2) << 4 | (green + 2) << 2 | (blue + 2)))
        } else if (-32...31).contains(green), (-8...7).contains(red - green), (-8...7).contains(blue - green)
        {
            bytes += [UInt8(0x80 | (green + 32)), UInt8((red - green + 8) << 4 | (blue - green + 8))]
        } else {
            bytes += [0xFE, pixel.red, pixel.green, pixel.blue]
        }
    }
}
