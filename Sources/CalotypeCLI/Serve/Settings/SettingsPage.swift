/// The table of settings in help texts and documents.
enum SettingsPage {
    /// The settings with their values and defaults, for the help of a command.
    static var help: String {
        let lines = ServeSetting.all.map { setting in
            "  \(setting.flag)\n\(wrapped(setting.summary))\n\(wrapped(facts(of: setting)))"
        }
        return "The settings:\n\n" + lines.joined(separator: "\n")
    }

    /// Returns the values of a setting, its default, and whether SIGHUP reloads it.
    private static func facts(of setting: ServeSetting) -> String {
        let standard = setting.standard.isEmpty ? "none" : setting.standard
        let reload = setting.isReloadable ? " SIGHUP reloads it." : ""
        return "Values: \(setting.range). Default: \(standard).\(reload)"
    }

    /// Returns a text indented and wrapped at 78 columns.
    private static func wrapped(_ text: String) -> String {
        let (indent, columns) = ("      ", 78)
        var lines = [indent]
        for word in text.split(separator: " ") {
            let isFirst = lines[lines.count - 1] == indent
            if !isFirst, lines[lines.count - 1].count + 1 + word.count > columns {
                lines.append(indent + word)
            } else {
                lines[lines.count - 1] += (isFirst ? "" : " ") + word
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The rows of the table in the documents, as Markdown.
    static var markdown: String {
        let rows = ServeSetting.all.map { setting in
            let standard = setting.standard.isEmpty ? "–" : "`\(setting.standard)`"
            let imgproxy = setting.imgproxy.map { "`\($0)`" }.joined(separator: ", ")
            let cells = [
                "`\(setting.name)`", standard, setting.range, setting.summary,
                imgproxy.isEmpty ? "–" : imgproxy,
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        return
            (["| setting | default | values | meaning | imgproxy variable |", "|---|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }

    /// The columns of `--print-config`.
    static let table = Table(columns: [
        Table.Column("setting", "setting", width: 22),
        Table.Column("value", "value", width: 28),
        Table.Column("from", "origin", width: 8),
    ])

    static func record(_ setting: ServeSetting, _ text: String, _ origin: SettingLayers.Origin) -> Record {
        let shown = setting.isSecret && !text.isEmpty ? "(secret)" : text
        return Record([
            ("setting", .text(setting.name)), ("value", .text(shown)), ("origin", .text(origin.text)),
        ])
    }
}
