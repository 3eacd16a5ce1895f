import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials

/// A frame of an assembled APNG, with the fields of fcTL.
struct APNGFrame {
    var picture: Image
    var x = 0
    var y = 0
    var disposal = 0
    var blend = 0
    var milliseconds = 100
}

/// An APNG assembled frame by frame, without validation.
struct APNGParts {
    /// Precedes the frames if it is not one of them.
    var defaultImage: Image?
    var frames: [APNGFrame]
    var plays = 0
    var encoder = PNGEncoder()
    /// `nil` for the actual number.
    var claimedFrameCount: Int?

    /// The chunks, from IHDR to IEND.
    func parts() throws -> PNGParts {
        var parts = PNGParts(try encoder.encode(defaultImage ?? frames[0].picture))
        let pixels = parts.chunks.filter { $0.type == "IDAT" }
        parts.chunks = [parts.chunks[0]]
        let count = claimedFrameCount ?? frames.count
        parts.chunks.append(("acTL", bigEndian32(count) + bigEndian32(plays)))
        if defaultImage != nil { parts.chunks += pixels }
        var number = 0
        for (index, frame) in frames.enumerated() {
            parts.chunks.append(("fcTL", control(frame, number)))
            number += 1
            if index == 0, defaultImage == nil {
                parts.chunks += pixels
                continue
            }
            // In two chunks, like encoders with small buffers.
            let file = PNGParts(try encoder.encode(frame.picture))
            let data = file.chunks.filter { $0.type == "IDAT" }.reduce(Data()) { $0 + $1.payload }
            for piece in [data.prefix(data.count / 2), data.dropFirst(data.count / 2)] {
                parts.chunks.append(("fdAT", bigEndian32(number) + piece))
                number += 1
            }
        }
        parts.chunks.append(("IEND", Data()))
        return parts
    }

    func data() throws -> Data { try parts().data }

    private func control(_ frame: APNGFrame, _ number: Int) -> Data {
        let size = frame.picture.size
        let place = [number, size.width, size.height, frame.x, frame.y].map(bigEndian32).reduce(Data(), +)
        let delay = bigEndian16(frame.milliseconds) + bigEndian16(1000)
        return place + delay + Data([UInt8(frame.disposal), UInt8(frame.blend)])
    }

    /// The canvas after each frame as RGBA, in floating point after PNG 3 section 11.3.6.
    func composited() -> [[UInt8]] {
        let canvas = (defaultImage ?? frames[0].picture).size
        var pixels = [UInt8](repeating: 0, count: canvas.pixelCount * 4)
        return frames.enumerated().map { index, frame in
            let before = pixels
            frame.draw(on: &pixels, width: canvas.width)
            let shown = pixels
            if frame.disposal == 1 || (frame.disposal == 2 && index == 0) {
                frame.forEachByte(width: canvas.width) { place, _ in pixels[place] = 0 }
            } else if frame.disposal == 2 {
                frame.forEachByte(width: canvas.width) { place, _ in pixels[place] = before[place] }
            }
            return shown
        }
    }
}

extension APNGFrame {
    /// Calls `body` with the position of each byte on the canvas and in the image.
    fileprivate func forEachByte(width: Int, _ body: (Int, Int) -> Void) {
        for row in 0..<picture.size.height {
            for byte in 0..<picture.size.width * 4 {
                body(((y + row) * width + x) * 4 + byte, row * picture.size.width * 4 + byte)
            }
        }
    }

    fileprivate func draw(on canvas: inout [UInt8], width: Int) {
        let source = [UInt8](picture.rgba8())
        var result = canvas
        let under = canvas
        forEachByte(width: width) { place, index in
            guard blend == 1 else {
                result[place] = source[index]
                return
            }
            let (pixel, below) = (index / 4 * 4, place / 4 * 4)
            let (above, beneath) = (Double(source[pixel + 3]) / 255, Double(under[below + 3]) / 255)
            let alpha = above + beneath * (1 - above)
            guard above > 0 else { return }
            if index % 4 == 3 {
                result[place] = UInt8((alpha * 255).rounded())
            } else {
                let sum = Double(source[index]) * above + Double(under[place]) * beneath * (1 - above)
                result[place] = UInt8((sum / alpha).rounded())
            }
        }
        canvas = result
    }
}

extension Animation {
    func decodedFrames() throws -> [[UInt8]] {
        try (0..<frameCount).map { [UInt8](try decodeFrame(at: $0).rgba8()) }
    }
}
