/// Finds the nearest colour of a palette; caches recent results.
struct NearestColor {
    /// The colours, ordered by green.
    private let entries: [SIMD4<Int32>]
    /// The palette index of each entry.
    private let positions: [UInt8]
    /// For each level of green, the first entry with at least that level.
    private let starts: [Int]
    /// Colours and their indices, each in the slot of its hash; 0, which is not a colour, marks a free slot.
    private var askedColors = [UInt32](repeating: 0, count: 1 << 15)
    private var askedPositions = [UInt8](repeating: 0, count: 1 << 15)

    /// Takes 1...256 colours, 0xAARRGGBB; translucent ones multiplied by their alpha.
    init(_ palette: [UInt32]) {
        let sorted = palette.enumerated().map { position, color in
            (color: SIMD4<Int32>(argb: color), position: position)
        }.sorted { ($0.color.y, $0.position) < ($1.color.y, $1.position) }
        let entries = sorted.map(\.color)
        self.entries = entries
        positions = sorted.map { UInt8($0.position) }
        starts = (0..<256).map { level in entries.firstIndex { $0.y >= level } ?? entries.count }
    }

    /// Returns the index of the colour nearest to 0xAARRGGBB, which is not 0; of several equally near ones,
    /// the first found.
    mutating func position(of color: UInt32) -> Int {
        let slot = Int((color &* 0x9E37_79B1) >> 17)
        if askedColors[slot] == color { return Int(askedPositions[slot]) }
        let position = search(SIMD4(argb: color))
        askedColors[slot] = color
        askedPositions[slot] = UInt8(position)
        return position
    }

    /// Searches from the colour's green in both directions, as long as the distance in green alone is below
    /// the best.
    private func search(_ color: SIMD4<Int32>) -> Int {
        var best = (distance: Int32.max, position: 0)
        var above = starts[Int(color.y)]
        var below = above - 1
        while above < entries.count || below >= 0 {
            if above < entries.count {
                above = look(at: above, color, &best) ? above + 1 : entries.count
            }
            if below >= 0 {
                below = look(at: below, color, &best) ? below - 1 : -1
            }
        }
        return best.position
    }

    /// Returns whether entries farther in the same direction can be nearer than the best.
    private func look(
        at index: Int,
        _ color: SIMD4<Int32>,
        _ best: inout (distance: Int32, position: Int)
    ) -> Bool {
        let entry = entries[index]
        let green = entry.y &- color.y
        guard green &* green < best.distance else { return false }
        let (red, blue, alpha) = (entry.x &- color.x, entry.z &- color.z, entry.w &- color.w)
        let distance = red &* red &+ green &* green &+ blue &* blue &+ alpha &* alpha
        if distance < best.distance { best = (distance, Int(positions[index])) }
        return true
    }
}

extension SIMD4<Int32> {
    /// Red, green and blue of 0xFFRRGGBB.
    init(_ color: UInt32, w: Int32) {
        self.init(Int32(color >> 16 & 255), Int32(color >> 8 & 255), Int32(color & 255), w)
    }

    /// Red, green, blue and alpha of 0xAARRGGBB.
    init(argb color: UInt32) { self.init(color, w: Int32(color >> 24)) }
}
