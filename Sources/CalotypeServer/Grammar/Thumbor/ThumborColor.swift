import CalotypeCore

extension OptionArguments {
    /// Parses a colour: a CSS 2.1 name, or three or six hexadecimal digits.
    func color(_ index: Int) throws(RequestError) -> RGBColor {
        let name = text(index).lowercased()
        let digits = Self.colorNames[name] ?? (name.hasPrefix("#") ? String(name.dropFirst()) : name)
        guard digits.utf8.count == 3 || digits.utf8.count == 6, let color = RGBAColor(hex: digits) else {
            throw error("\(text(index).quoted) is not a colour")
        }
        return RGBColor(red: color.red, green: color.green, blue: color.blue)
    }

    private static let colorNames = [
        "aqua": "00ffff", "black": "000000", "blue": "0000ff", "fuchsia": "ff00ff", "gray": "808080",
        "green": "008000", "grey": "808080", "lime": "00ff00", "maroon": "800000", "navy": "000080",
        "olive": "808000", "orange": "ffa500", "purple": "800080", "red": "ff0000", "silver": "c0c0c0",
        "teal": "008080", "white": "ffffff", "yellow": "ffff00",
    ]
}
