/// What is to be written for a frame of an animation: the part that changes.
struct GIFPlannedFrame: Equatable {
    var rect: GIFRect
    /// `keep`, or `background` where pixels have to become transparent again.
    var disposal: GIFDisposal
    /// The pixels of the rectangle that are to be drawn, 0xFFRRGGBB; 0 for those that stay as they are.
    var drawn: [UInt32]
    /// All pixels of the rectangle, where each of them is opaque, so that they may be drawn as well.
    var all: [UInt32]?
    /// In 1/100 s.
    var delay: Int
}

/// Decides what of each frame is written, and what becomes of it before the next.
///
/// Works on the pixels as they are wanted, not as the colour tables bring them, so that what does not change
/// is not drawn again in other colours. A frame can be planned when the next is known: where a pixel is to
/// become transparent, the frame before has to be cleared.
struct GIFFramePlanner {
    private struct Frame {
        let pixels: [UInt32]
        let delay: Int
    }

    private let width: Int
    /// The canvas before the frame that waits.
    private var before: [UInt32]
    private var waiting: Frame?

    init(width: Int, height: Int) {
        self.width = width
        before = [UInt32](repeating: 0, count: width * height)
    }

    /// Takes a frame, the whole canvas, and how long it is shown in 1/100 s; gives the plan of the one before
    /// it, where there is one.
    mutating func add(_ pixels: [UInt32], delay: Int) -> GIFPlannedFrame? {
        let planned = waiting.map { plan($0, followedBy: pixels) }
        waiting = Frame(pixels: pixels, delay: delay)
        return planned
    }

    /// The plan of the last frame.
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

    /// The least rectangle around the positions for which something holds.
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
