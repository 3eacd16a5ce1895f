import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// What the chunks of a PNG file tell beside the pixels of its default image.
struct PNGSideInfo {
    /// What eXIf states; it may stand after the pixels.
    private(set) var orientation = Orientation.up
    /// What acTL claims; 1 for a still.
    private(set) var frameCount = 1
    /// `nil` for a still.
    private(set) var loopCount: LoopCount?
    /// The delays of the frames that are there, together; `nil` for a still.
    private(set) var duration: Duration?

    /// Walks over all chunks without reading what is in them.
    init(_ file: Data) {
        var hasPixels = false
        var delays: [Duration] = []
        for chunk in PNGChunks(file) {
            switch chunk.type {
            case .imageData: hasPixels = true
            case .exif: orientation = Orientation(exif: chunk.payload) ?? .up
            case .animationControl where !hasPixels: readControl(chunk.payload)
            case .frameControl where delays.count < frameCount: delays.append(Self.delay(chunk.payload))
            default: break
            }
        }
        if loopCount != nil { duration = delays.reduce(.zero, +) }
    }

    /// PNG 3 section 11.3.6.1; a count of 0 is an error there, and the file a still.
    private mutating func readControl(_ payload: Data) {
        var reader = ByteReader(payload)
        guard let frames = reader.bigEndian(UInt32.self), let plays = reader.bigEndian(UInt32.self) else {
            return
        }
        guard frames > 0 else { return }
        frameCount = Int(frames)
        loopCount = plays == 0 ? .infinite : .times(Int(plays))
    }

    /// PNG 3 section 11.3.6.2: a fraction of a second, whose denominator 0 stands for 100.
    private static func delay(_ payload: Data) -> Duration {
        var reader = ByteReader(payload.dropFirst(20))
        guard let numerator = reader.bigEndian(UInt16.self), let denominator = reader.bigEndian(UInt16.self)
        else {
            return .frame(stated: nil)
        }
        return .frame(stated: .seconds(Int(numerator)) / Int(denominator == 0 ? 100 : denominator))
    }
}
