/// A pixel, and the table of those seen, by which the format refers back to them.
struct QOIPixel: Hashable {
    var red: UInt8 = 0
    var green: UInt8 = 0
    var blue: UInt8 = 0
    var alpha: UInt8 = 255

    /// The initial value of each entry of the table.
    static let unseen = QOIPixel(alpha: 0)

    /// Its place in the table of 64.
    var place: Int { (Int(red) * 3 + Int(green) * 5 + Int(blue) * 7 + Int(alpha) * 11) % 64 }

    /// The pixel that differs by so much; the channels wrap.
    func moved(red: Int, green: Int, blue: Int) -> QOIPixel {
        QOIPixel(
            red: UInt8(truncatingIfNeeded: Int(self.red) + red),
            green: UInt8(truncatingIfNeeded: Int(self.green) + green),
            blue: UInt8(truncatingIfNeeded: Int(self.blue) + blue),
            alpha: alpha
        )
    }
}
