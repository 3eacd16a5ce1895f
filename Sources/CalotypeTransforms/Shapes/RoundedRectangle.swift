import CalotypeCore

/// A rectangle with rounded corners, in the plane of an image's pixels.
struct RoundedRectangle {
    private let box: PlaneBox
    private let radii: CornerRadii
    /// The height of a pixel in the plane, whose width is 1: circles of the plane are ellipses in the image.
    private let pixelHeight: Double
    /// The parts that they cut off never overlap, though their squares may.
    private let corners: [RoundCorner]

    private init(_ box: PlaneBox, _ radii: CornerRadii, pixelHeight: Double = 1) {
        self.box = box
        self.radii = radii
        self.pixelHeight = pixelHeight
        corners = Self.corners(of: box, radii)
    }

    /// Covers a whole image; radii are reduced to fit.
    init(filling size: PixelSize, radii: CornerRadii) {
        let box = PlaneBox(left: 0, top: 0, right: Double(size.width), bottom: Double(size.height))
        self.init(box, radii.fitting(size))
    }

    /// Covers a whole image whose corners are quarter ellipses; radii are reduced by a common factor to fit.
    ///
    /// - Precondition: Both radii are above 0.
    init(filling size: PixelSize, horizontalRadius: Double, verticalRadius: Double) {
        let pixelHeight = horizontalRadius / verticalRadius
        let (width, height) = (Double(size.width), Double(size.height) * pixelHeight)
        let radius = min(horizontalRadius, width / 2, height / 2)
        let box = PlaneBox(left: 0, top: 0, right: width, bottom: height)
        self.init(box, CornerRadii(radius), pixelHeight: pixelHeight)
    }

    /// Returns the points inside at a distance of at least `width` from the edge; empty if there are none.
    func inset(by width: Double) -> RoundedRectangle {
        let inner = PlaneBox(
            left: box.left + width,
            top: box.top + width,
            right: box.right - width,
            bottom: box.bottom - width
        )
        return RoundedRectangle(inner, radii.mapping { max(0, $0 - width) })
    }

    private static func corners(of box: PlaneBox, _ radii: CornerRadii) -> [RoundCorner] {
        guard !box.isEmpty else { return [] }
        let all = [
            RoundCorner(cornerX: box.left, cornerY: box.top, radii.topLeft, outward: (-1, -1)),
            RoundCorner(cornerX: box.right, cornerY: box.top, radii.topRight, outward: (1, -1)),
            RoundCorner(cornerX: box.right, cornerY: box.bottom, radii.bottomRight, outward: (1, 1)),
            RoundCorner(cornerX: box.left, cornerY: box.bottom, radii.bottomLeft, outward: (-1, 1)),
        ]
        return all.filter { $0.radius > 0 }
    }

    /// Returns the covered part of a pixel, 0...1: the exact area.
    func coverage(x: Int, y: Int) -> Double {
        let part = box.intersection(pixel(x: x, y: y))
        guard !part.isEmpty else { return 0 }
        return corners.reduce(part.area) { $0 - $1.cutArea(of: part) } / pixelHeight
    }

    private func pixel(x: Int, y: Int) -> PlaneBox {
        var box = PlaneBox(x: x, y: y)
        box.top *= pixelHeight
        box.bottom *= pixelHeight
        return box
    }
}

extension RoundedRectangle {
    /// Returns the coverage of each pixel as a gray image: 255 for full coverage.
    func mask(_ size: PixelSize) -> Image {
        let pixels = PixelBuffer(byteCount: size.pixelCount) { bytes in
            fillRows(bytes, size)
            for corner in corners { round(corner, bytes, size) }
        }
        return Image(size: size, pixelFormat: .gray8, pixels: pixels)
    }

    /// Covers the box without rounding its corners.
    private func fillRows(_ bytes: UnsafeMutableRawBufferPointer, _ size: PixelSize) {
        let columns = (0..<size.width).map { min(box.right, Double($0 + 1)) - max(box.left, Double($0)) }
        let row = { share in columns.map { Self.level($0 * share) } }
        let whole = row(1)
        for y in 0..<size.height {
            let pixel = pixel(x: 0, y: y)
            let share = max(0, min(box.bottom, pixel.bottom) - max(box.top, pixel.top)) / pixelHeight
            let target = UnsafeMutableRawBufferPointer(rebasing: bytes[(y * size.width)...])
            target.copyBytes(from: share == 1 ? whole : row(share))
        }
    }

    /// Subtracts the part that a corner cuts off; computes only the pixels crossed by the circle.
    private func round(_ corner: RoundCorner, _ bytes: UnsafeMutableRawBufferPointer, _ size: PixelSize) {
        let rows = corner.rows.lowerBound / pixelHeight...corner.rows.upperBound / pixelHeight
        for y in Self.pixels(rows, size.height) {
            for x in Self.pixels(corner.columns, size.width) {
                switch corner.place(of: pixel(x: x, y: y)) {
                case .untouched: continue
                case .cutOff: bytes[y * size.width + x] = 0
                case .crossed: bytes[y * size.width + x] = Self.level(coverage(x: x, y: y))
                }
            }
        }
    }

    private static func pixels(_ range: ClosedRange<Double>, _ count: Int) -> Range<Int> {
        (Int(range.lowerBound.rounded(.down))..<Int(range.upperBound.rounded(.up))).clamped(to: 0..<count)
    }

    private static func level(_ coverage: Double) -> UInt8 {
        UInt8((min(1, max(0, coverage)) * 255).rounded())
    }
}
