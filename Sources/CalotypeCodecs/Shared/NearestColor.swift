/// Finds the colour of a palette that is nearest to another; what was asked for lately is remembered.
struct NearestColor {
    /// Red, green, blue and the position in the palette, in the order of green.
    private let entries: [SIMD4<Int32>]
    /// For each level of green the first entry that has at least as much.
    private let starts: [Int]
    /// Colours and their positions, each in the slot of its hash; 0, which is no colour, where a slot is
    /// free.
    private var askedColors = [UInt32](repeating: 0, count: 1 << 15)
    private var askedPositions = [UInt8](repeating: 0, count: 1 << 15)

    /// Takes 1...256 colours, 0xFFRRGGBB.
    init(_ palette: [UInt32]) {
        let entries = palette.enumerated().map { position, color in
            SIMD4<Int32>(color, w: Int32(position))
        }.sorted { ($0.y, $0.w) < ($1.y, $1.w) }
        self.entries = entries
        starts = (0..<256).map { level in entries.firstIndex { $0.y >= level } ?? entries.count }
    }

    /// The position of the colour that is nearest to 0xFFRRGGBB; of several equally near ones the first
    /// found.
    mutating func position(of color: UInt32) -> Int {
        let slot = Int((color &* 0x9E37_79B1) >> 17)
        if askedColors[slot] == color { return Int(askedPositions[slot]) }
        let position = search(SIMD4(color, w: 0))
        askedColors[slot] = color
        askedPositions[slot] = UInt8(position)
        return position
    }

    /// Goes away from the colour's green to both sides, as long as green alone is not farther than the best.
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

    /// Whether entries farther in the same direction can be nearer than the best.
    private func look(
        at index: Int,
        _ color: SIMD4<Int32>,
        _ best: inout (distance: Int32, position: Int)
    ) -> Bool {
        let entry = entries[index]
        let green = entry.y &- color.y
        guard green &* green < best.distance else { return false }
        let (red, blue) = (entry.x &- color.x, entry.z &- color.z)
        let distance = red &* red &+ green &* green &+ blue &* blue
        if distance < best.distance { best = (distance, Int(entry.w)) }
        return true
    }
}

extension SIMD4<Int32> {
    /// Red, green and blue of 0xFFRRGGBB.
    init(_ color: UInt32, w: Int32) {
        self.init(Int32(color >> 16 & 255), Int32(color >> 8 & 255), Int32(color & 255), w)
    }
}
