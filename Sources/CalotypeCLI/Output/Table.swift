/// The columns in which records of one kind are shown.
struct Table: Sendable {
    /// A column: a field with a title.
    struct Column: Sendable {
        let title: String
        let field: String
        /// Characters; longer values push the rest of the line to the right.
        let width: Int
        let alignsRight: Bool

        init(_ title: String, _ field: String, width: Int, alignsRight: Bool = false) {
            self.title = title
            self.field = field
            self.width = width
            self.alignsRight = alignsRight
        }
    }

    let columns: [Column]

    /// Whether the titles are shown above the rows.
    var hasHeader = true

    /// The line of titles.
    var header: String {
        line(columns.map(\.title))
    }

    /// Returns a record as a line; `–` for an unknown value.
    func row(_ record: Record) -> String {
        line(columns.map { record[$0.field]?.text ?? "–" })
    }

    private func line(_ cells: [String]) -> String {
        let padded = zip(columns, cells).map { column, cell in
            let padding = String(repeating: " ", count: max(0, column.width - cell.count))
            return column.alignsRight ? padding + cell : cell + padding
        }
        return String(padded.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }
}
