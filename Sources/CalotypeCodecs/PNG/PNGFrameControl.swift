import CCodecs
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// What fcTL states of a frame; PNG 3 section 11.3.6.2.
struct PNGFrameControl {
    /// The place among the chunks fcTL and fdAT, from 0.
    let sequenceNumber: Int
    /// The part of the canvas that is drawn on.
    let x: Int
    let y: Int
    let size: PixelSize
    /// How long the frame is shown.
    let duration: Duration
    /// The numbers of the standard: 0...2, and 0 or 1.
    let disposal: Int
    let blend: Int
    /// The offset in the file of the chunks behind this one.
    let end: Int

    /// Takes the values as they stand; what is missing is -1, an empty size, or the duration of none.
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

    /// A fraction of a second, whose denominator 0 stands for 100.
    private static func delay(_ numerator: UInt16?, _ denominator: UInt16?) -> Duration {
        guard let numerator, let denominator else { return .frame(stated: nil) }
        return .frame(stated: .seconds(Int(numerator)) / Int(denominator == 0 ? 100 : denominator))
    }

    /// Whether the standard allows it on a canvas.
    func isSound(on canvas: PixelSize) -> Bool {
        !size.isEmpty && x >= 0 && y >= 0 && (0...2).contains(disposal) && (0...1).contains(blend)
            && size.width <= canvas.width && x <= canvas.width - size.width
            && size.height <= canvas.height && y <= canvas.height - size.height
    }

    /// Whether all of the other frame's rectangle lies in this one's.
    func covers(_ other: PNGFrameControl) -> Bool {
        x <= other.x && y <= other.y && x + size.width >= other.x + other.size.width
            && y + size.height >= other.y + other.size.height
    }

    /// What is to be done with the rectangle before the next frame; at the start there is nothing to go back
    /// to.
    func disposal(isFirst: Bool) -> cc_png_disposal {
        switch disposal {
        case 1: .background
        case 2: isFirst ? .background : .previous
        default: .none
        }
    }
}
