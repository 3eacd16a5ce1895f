import CalotypeCore

extension Image {
    /// A pure colour, from which a fringe would differ.
    enum Primary: Int {
        case red, green, blue
    }

    /// Whether each visible pixel has the pure colour, within two levels.
    ///
    /// Nearly transparent pixels are ignored: colours have little precision at low alpha.
    func hasNoFringe(of primary: Primary, minAlpha: UInt8 = 16) -> Bool {
        let bytes = [UInt8](rgba8())
        return stride(from: 0, to: bytes.count, by: 4).allSatisfy { start in
            guard bytes[start + 3] >= minAlpha else { return true }
            return (0..<3).allSatisfy { channel in
                let expected = channel == primary.rawValue ? 255 : 0
                return abs(Int(bytes[start + channel]) - expected) <= 2
            }
        }
    }

    /// The channels of a pixel: red, green, blue, alpha.
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        let start = (y * size.width + x) * 4
        return Array([UInt8](rgba8())[start..<start + 4])
    }
}
