/// A hash table that finds the slot of a key by the key's hash: open addressing with linear probing.
///
/// A cell has 32 bits of the hash and the slot, so that a search compares hardly any key but the one it looks
/// for. It is not a `Dictionary` because that would hash a precomputed hash again.
@usableFromInline
struct SlotTable: Sendable {
    /// `tag << 32
    /// (slot + 1)`, or 0 for an empty cell.
    @usableFromInline var cells: [UInt64] = Array(repeating: 0, count: 16)
    private var count = 0

    @usableFromInline
    init() {}

    /// Returns the stored part of a hash, mixed from all its bits so that weak hashes work too.
    @inlinable @inline(__always)
    static func tag(ofHash hash: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: (UInt64(bitPattern: Int64(hash)) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    /// Returns the slot with this tag for which `isMatch` is true; at most one may match.
    @inlinable @inline(__always)
    func slot(tag: UInt32, where isMatch: (Slot) -> Bool) -> Slot? {
        let mask = cells.count &- 1
        var index = home(of: tag)
        while cells[index] != 0 {
            if Self.tag(ofCell: cells[index]) == tag {
                let slot = Self.slot(inCell: cells[index])
                if isMatch(slot) { return slot }
            }
            index = (index &+ 1) & mask
        }
        return nil
    }

    /// Adds a slot, which must not be in the table.
    @usableFromInline
    mutating func insert(_ slot: Slot, tag: UInt32) {
        if (count + 1) * 3 > cells.count * 2 { grow() }
        place(UInt64(tag) << 32 | UInt64(slot + 1))
        count += 1
    }

    /// Removes a slot, which must be in the table.
    @usableFromInline
    mutating func remove(_ slot: Slot, tag: UInt32) {
        let cell = UInt64(tag) << 32 | UInt64(slot + 1)
        let mask = cells.count - 1
        var hole = home(of: tag)
        while cells[hole] != cell {
            precondition(cells[hole] != 0, "the slot is in the table")
            hole = (hole + 1) & mask
        }
        // The cells that follow without a gap move up, unless that would put one before its home, so that no
        // search stops early at the hole.
        var next = (hole + 1) & mask
        while cells[next] != 0 {
            let distance = (next - home(of: Self.tag(ofCell: cells[next]))) & mask
            if distance >= (next - hole) & mask {
                cells[hole] = cells[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        cells[hole] = 0
        count -= 1
    }

    private mutating func grow() {
        let old = cells
        cells = Array(repeating: 0, count: old.count * 2)
        for cell in old where cell != 0 {
            place(cell)
        }
    }

    private mutating func place(_ cell: UInt64) {
        var index = home(of: Self.tag(ofCell: cell))
        while cells[index] != 0 {
            index = (index + 1) & (cells.count - 1)
        }
        cells[index] = cell
    }

    /// Returns the cell where the search for a tag begins: its upper bits, scaled.
    @inlinable @inline(__always)
    func home(of tag: UInt32) -> Int {
        Int(truncatingIfNeeded: (UInt64(tag) &* UInt64(truncatingIfNeeded: cells.count)) >> 32)
    }

    @inlinable @inline(__always)
    static func tag(ofCell cell: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: cell >> 32)
    }

    @inlinable @inline(__always)
    static func slot(inCell cell: UInt64) -> Slot {
        Slot(truncatingIfNeeded: cell & 0xFFFF_FFFF) &- 1
    }
}

extension SlotTable {
    /// Stops the process if a slot cannot be found from its tag; for tests.
    func checkInvariants() {
        let filled = cells.filter { $0 != 0 }
        precondition(filled.count == count, "the count is the number of cells that are filled")
        for cell in filled {
            let wanted = Self.slot(inCell: cell)
            let found = slot(tag: Self.tag(ofCell: cell)) { $0 == wanted }
            precondition(found == wanted, "every slot is found from its home")
        }
    }
}
