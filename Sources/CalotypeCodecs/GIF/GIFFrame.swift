/// A rectangle on the canvas, in pixels; it may lie outside the canvas, partly or wholly.
struct GIFRect: Hashable {
    var left, top, width, height: Int

    var right: Int { left + width }
    var bottom: Int { top + height }
    var isEmpty: Bool { width <= 0 || height <= 0 }

    func contains(_ other: GIFRect) -> Bool {
        left <= other.left && top <= other.top && right >= other.right && bottom >= other.bottom
    }

    /// What both cover; empty where they do not touch.
    func intersection(_ other: GIFRect) -> GIFRect {
        let (left, top) = (max(left, other.left), max(top, other.top))
        return GIFRect(
            left: left,
            top: top,
            width: max(0, min(right, other.right) - left),
            height: max(0, min(bottom, other.bottom) - top)
        )
    }

    /// What is left of it where the other covers it wholly: nothing; else all of it.
    func subtracting(_ other: GIFRect) -> GIFRect {
        other.contains(self) ? GIFRect(left: 0, top: 0, width: 0, height: 0) : self
    }

    /// The least rectangle around both; an empty one counts for nothing.
    func union(_ other: GIFRect) -> GIFRect {
        guard !isEmpty else { return other }
        guard !other.isEmpty else { return self }
        let (left, top) = (min(left, other.left), min(top, other.top))
        return GIFRect(
            left: left,
            top: top,
            width: max(right, other.right) - left,
            height: max(bottom, other.bottom) - top
        )
    }
}

/// What becomes of a frame before the next is drawn.
///
/// - SeeAlso: GIF89a section 23.
enum GIFDisposal: Int, Hashable {
    case unspecified, keep, background, previous

    /// Reads the three bits of the graphic control.
    ///
    /// 4 stands for `previous`, as in browsers: some writers took the third value for the third bit.
    init(bits: UInt8) {
        self = bits == 4 ? .previous : GIFDisposal(rawValue: Int(bits)) ?? .unspecified
    }
}

/// A frame whose blocks have been found.
struct GIFFrame: Hashable {
    var rect: GIFRect
    var isInterlaced: Bool
    var disposal = GIFDisposal.unspecified
    /// The colour that leaves the canvas as it is.
    var transparentIndex: Int?
    /// As stated, in 1/100 s.
    var delay = 0
    /// Where the colours are in the file: three bytes each.
    var palette: Range<Int>
    /// Where the code size and the blocks of codes are in the file, with the empty block that ends them.
    var codes = 0..<0

    var duration: Duration { .frame(stated: .milliseconds(10 * delay)) }
}
