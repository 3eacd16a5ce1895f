/// What reads see of writes that have been issued and have not ended: for each entry the last one.
struct StagedWrites: Sendable {
    /// What an entry is about to become.
    enum Content: Sendable {
        case blob(Blob, key: String, expiry: Expiry?)
        case nothing
        /// Something that only the file will tell, once the write has ended.
        case changing
    }

    private var contents: [EntryName: (ticket: Int, content: Content)] = [:]
    private var ticketCount = 0
    /// How many removals of everything have been issued and have not ended.
    private var clearingCount = 0

    /// What a read of an entry must see; `nil` where the file is to be asked.
    func content(_ name: EntryName) -> Content? {
        contents[name]?.content ?? (clearingCount > 0 ? .nothing : nil)
    }

    /// Notes a write at the moment it is issued; the ticket is given back when it ends.
    mutating func stage(_ content: Content, as name: EntryName) -> Int {
        ticketCount += 1
        contents[name] = (ticketCount, content)
        return ticketCount
    }

    /// Ends a write; a later one for the same entry stays in view.
    mutating func end(_ ticket: Int, of name: EntryName) {
        guard contents[name]?.ticket == ticket else { return }
        contents[name] = nil
    }

    /// Notes that everything is removed: what was issued before is out of view.
    mutating func beginClearing() {
        contents = [:]
        clearingCount += 1
    }

    mutating func endClearing() {
        clearingCount -= 1
    }
}
