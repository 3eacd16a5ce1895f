/// A rectangle on the canvas, in pixels; it may lie partly or entirely outside.
struct GIFRect: Hashable {
    var left, top, width, height: Int

    var right: Int { left + width }
    var bottom: Int { top + height }
    var isEmpty: Bool { width <= 0 || height <= 0 }

    func contains(_ other: GIFRect) -> Bool {
        left <= other.left && top <= other.top && right >= other.right && bottom >= other.bottom
    }

    /// Returns the common area; empty if they do not overlap.
    func intersection(_ other: GIFRect) -> GIFRect {
        let (left, top) = (max(left, other.left), max(top, other.top))
        return GIFRect(
            left: left,
            top: top,
            width: max(0, min(right, other.right) - left),
            height: max(0, min(bottom, other.bottom) - top)
        )
    }

    /// Returns an empty rectangle if the other one contains it, otherwise itself.
    func subtracting(_ other: GIFRect) -> GIFRect {
        other.contains(self) ? GIFRect(left: 0, top: 0, width: 0, height: 0) : self
    }

    /// Returns the smallest rectangle around both; an empty one is ignored.
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

/// The disposal of a frame before the next is drawn.
///
/// - SeeAlso: GIF89a section 23.
enum GIFDisposal: Int, Hashable {
    case unspecified, keep, background, previous

    /// Reads the three bits of the graphic control.
    ///
    /// 4 means `previous`, as in browsers: some writers confused the third value with the third bit.
    init(bits: UInt8) {
        self = bits == 4 ? .previous : GIFDisposal(rawValue: Int(bits)) ?? .unspecified
    }
}

/// A frame whose blocks have been parsed.
struct GIFFrame: Hashable {
    var rect: GIFRect
    var isInterlaced: Bool
    var disposal = GIFDisposal.unspecified
    /// The index of transparent pixels.
    var transparentIndex: Int?
    /// The stated delay in 1/100 s.
    var delay = 0
    /// The position of the colours in the file: three bytes each.
    var palette: Range<Int>
    /// The position of the code size and the code blocks in the file, including the empty block at their end.
    var codes = 0..<0

    var duration: Duration { .frame(stated: .milliseconds(10 * delay)) }
}
