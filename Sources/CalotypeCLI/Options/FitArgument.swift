import ArgumentParser
import CalotypeCore

/// A box for an image, as `WxH`; either side may be omitted.
struct FitArgument: ExpressibleByArgument, Hashable, Sendable {
    let box: PixelBox

    init?(argument: String) {
        let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, sides != ["", ""] else { return nil }
        var numbers: [Int?] = []
        for side in sides {
            guard side.isEmpty || (Int(side) ?? 0) >= 1 else { return nil }
            numbers.append(Int(side))
        }
        box = PixelBox(width: numbers[0], height: numbers[1])
    }
}
