/// The part of an animation's frame that has to be written: its changes.
struct GIFPlannedFrame: Equatable {
    var rect: GIFRect
    /// `keep`, or `background` if pixels have to become transparent again.
    var disposal: GIFDisposal
    /// The pixels of the rectangle to draw, 0xFFRRGGBB; 0 for unchanged ones.
    var drawn: [UInt32]
    /// All pixels of the rectangle if each of them is opaque, as an alternative to `drawn`.
    var all: [UInt32]?
    /// The delay in 1/100 s.
    var delay: Int
}

/// Determines the part of each frame to write, and its disposal.
///
/// Works on the original pixels instead of palette colours, so that unchanged pixels are not redrawn in other
/// colours. A frame can be planned only when the next is known: if a pixel becomes transparent, the frame
/// before has to be cleared.
struct GIFFramePlanner {
    private struct Frame {
        let pixels: [UInt32]
        let delay: Int
    }

    private let width: Int
    private var before: [UInt32]
    private var waiting: Frame?

    init(width: Int, height: Int) {
        self.width = width
        before = [UInt32](repeating: 0, count: width * height)
    }

    /// Adds a frame, the whole canvas with its delay in 1/100 s; returns the plan of the previous frame, if
    /// any.
    mutating func add(_ pixels: [UInt32], delay: Int) -> GIFPlannedFrame? {
        let planned = waiting.map { plan($0, followedBy: pixels) }
        waiting = Frame(pixels: pixels, delay: delay)
        return planned
    }

    mutating func finish() -> GIFPlannedFrame? {
        defer { waiting = nil }
        return waiting.map { plan($0, followedBy: nil) }
    }

    private mutating func plan(_ frame: Frame, followedBy next: [UInt32]?) -> GIFPlannedFrame {
        let pixels = frame.pixels
        let changed = bounds { pixels[$0] != before[$0] }
        let cleared = next.map { next in bounds { pixels[$0] != 0 && next[$0] == 0 } }
        let isCleared = cleared?.isEmpty == false
        var rect = cleared.map(changed.union) ?? changed
        // A frame has at least one pixel.
        if rect.isEmpty { rect = GIFRect(left: 0, top: 0, width: 1, height: 1) }
        let all = cut(pixels, to: rect)
        let planned = GIFPlannedFrame(
            rect: rect,
            disposal: isCleared ? .background : .keep,
            drawn: zip(all, cut(before, to: rect)).map { $0 == $1 ? 0 : $0 },
            all: all.contains(0) ? nil : all,
            delay: frame.delay
        )
        before = pixels
        if isCleared { clear(rect) }
        return planned
    }

    private func cut(_ pixels: [UInt32], to rect: GIFRect) -> [UInt32] {
        guard rect.width < width else {
            return Array(pixels[rect.top * width..<rect.bottom * width])
        }
        var part: [UInt32] = []
        part.reserveCapacity(rect.width * rect.height)
        for y in rect.top..<rect.bottom { part += pixels[y * width + rect.left..<y * width + rect.right] }
        return part
    }

    private mutating func clear(_ rect: GIFRect) {
        for y in rect.top..<rect.bottom {
            for x in rect.left..<rect.right { before[y * width + x] = 0 }
        }
    }

    /// Returns the smallest rectangle around the positions that fulfil a condition.
    private func bounds(where holds: (Int) -> Bool) -> GIFRect {
        var rect = GIFRect(left: 0, top: 0, width: 0, height: 0)
        for y in 0..<before.count / width {
            let row = y * width..<(y + 1) * width
            guard let first = row.first(where: holds), let last = row.last(where: holds) else { continue }
            let part = GIFRect(left: first - row.lowerBound, top: y, width: last - first + 1, height: 1)
            rect = rect.union(part)
        }
        return rect
    }
}
