/// The view of reads on writes that have been issued and have not ended: for each entry the last one.
struct StagedWrites: Sendable {
    /// The state that an entry is about to have.
    enum Content: Sendable {
        case blob(Blob, key: String, expiry: Expiry?)
        case nothing
        /// Known only from the file, once the write has ended.
        case changing
    }

    private var contents: [EntryName: (ticket: Int, content: Content)] = [:]
    private var ticketCount = 0
    /// The number of removals of all entries that have been issued and have not ended.
    private var clearingCount = 0

    /// Returns the state that a read of an entry must see; `nil` if it must read the file.
    func content(_ name: EntryName) -> Content? {
        contents[name]?.content ?? (clearingCount > 0 ? .nothing : nil)
    }

    /// Records a write at the moment it is issued; pass the ticket to `end` when it ends.
    mutating func stage(_ content: Content, as name: EntryName) -> Int {
        ticketCount += 1
        contents[name] = (ticketCount, content)
        return ticketCount
    }

    /// Ends a write; a later one for the same entry stays visible.
    mutating func end(_ ticket: Int, of name: EntryName) {
        guard contents[name]?.ticket == ticket else { return }
        contents[name] = nil
    }

    /// Records a removal of all entries: writes issued before become invisible.
    mutating func beginClearing() {
        contents = [:]
        clearingCount += 1
    }

    mutating func endClearing() {
        clearingCount -= 1
    }
}
