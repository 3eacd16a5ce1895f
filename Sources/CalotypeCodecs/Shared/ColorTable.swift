/// The distinct colours of an image in order of appearance, with the number of pixels of each.
///
/// Colours are 0xAARRGGBB; 0, which is transparent, is not counted.
struct ColorTable {
    private(set) var colors: [UInt32] = []
    private(set) var counts: [Int] = []
    /// Open addressing; the position of a colour, or -1.
    private var slots: [Int32]
    private let maxCount: Int

    /// Makes a table without colours.
    init(maxCount: Int) {
        self.maxCount = maxCount
        var slotCount = 64
        while slotCount < 2 * maxCount { slotCount *= 2 }
        slots = [Int32](repeating: -1, count: slotCount)
    }

    /// Counts the colours; `nil` if there are more than `maxCount`.
    init?(_ pixels: [UInt32], maxCount: Int) {
        self.init(maxCount: maxCount)
        guard count(pixels) else { return nil }
    }

    /// Counts the colours of more pixels; false if there are too many for the table.
    mutating func count(_ pixels: [UInt32]) -> Bool {
        var (last, position) = (UInt32(0), 0)
        for pixel in pixels where pixel != 0 {
            if pixel != last {
                guard let found = add(pixel) else { return false }
                (last, position) = (pixel, found)
            }
            counts[position] += 1
        }
        return true
    }

    /// Returns the index of a colour; `nil` if it does not occur.
    func position(of color: UInt32) -> Int? {
        let position = slots[slot(of: color)]
        return position < 0 ? nil : Int(position)
    }

    /// Returns the index of a colour, which is appended if it is new; `nil` if the table is full.
    private mutating func add(_ color: UInt32) -> Int? {
        let slot = slot(of: color)
        if slots[slot] >= 0 { return Int(slots[slot]) }
        guard colors.count < maxCount else { return nil }
        slots[slot] = Int32(colors.count)
        colors.append(color)
        counts.append(0)
        return colors.count - 1
    }

    /// Returns the slot that holds a colour, or the free one for it; at least half of the slots are free.
    private func slot(of color: UInt32) -> Int {
        let mask = slots.count - 1
        var slot = Int((color &* 0x9E37_79B1) >> 8) & mask
        while slots[slot] >= 0, colors[Int(slots[slot])] != color { slot = (slot + 1) & mask }
        return slot
    }
}
