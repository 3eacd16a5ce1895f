import CCodecs
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The fields of a frame's fcTL chunk; PNG 3 section 11.3.6.2.
struct PNGFrameControl {
    /// The sequence number among the chunks fcTL and fdAT, from 0.
    let sequenceNumber: Int
    /// The part of the canvas that the frame draws.
    let x: Int
    let y: Int
    let size: PixelSize
    /// How long the frame is shown.
    let duration: Duration
    /// The numbers of the standard: 0...2, and 0 or 1.
    let disposal: Int
    let blend: Int
    /// The offset of the next chunk in the file.
    let end: Int

    /// Reads the values without validation; missing ones are -1, an empty size, or the duration of an absent
    /// one.
    init(_ chunk: PNGChunks.Chunk) {
        var reader = ByteReader(chunk.payload)
        let values = (0..<5).map { _ in reader.bigEndian(UInt32.self).map { Int($0) } ?? -1 }
        sequenceNumber = values[0]
        size = PixelSize(width: max(0, values[1]), height: max(0, values[2]))
        (x, y) = (values[3], values[4])
        duration = Self.delay(reader.bigEndian(UInt16.self), reader.bigEndian(UInt16.self))
        disposal = reader.bigEndian(UInt8.self).map { Int($0) } ?? -1
        blend = reader.bigEndian(UInt8.self).map { Int($0) } ?? -1
        end = chunk.end
    }

    /// Returns a fraction of a second; a denominator of 0 means 100.
    private static func delay(_ numerator: UInt16?, _ denominator: UInt16?) -> Duration {
        guard let numerator, let denominator else { return .frame(stated: nil) }
        return .frame(stated: .seconds(Int(numerator)) / Int(denominator == 0 ? 100 : denominator))
    }

    func isSound(on canvas: PixelSize) -> Bool {
        !size.isEmpty && x >= 0 && y >= 0 && (0...2).contains(disposal) && (0...1).contains(blend)
            && size.width <= canvas.width && x <= canvas.width - size.width
            && size.height <= canvas.height && y <= canvas.height - size.height
    }

    /// Returns whether the other frame's rectangle lies within this one's.
    func covers(_ other: PNGFrameControl) -> Bool {
        x <= other.x && y <= other.y && x + size.width >= other.x + other.size.width
            && y + size.height >= other.y + other.size.height
    }

    /// Returns the disposal before the next frame; the first frame has nothing to revert to.
    func disposal(isFirst: Bool) -> cc_png_disposal {
        switch disposal {
        case 1: .background
        case 2: isFirst ? .background : .previous
        default: .none
        }
    }
}
