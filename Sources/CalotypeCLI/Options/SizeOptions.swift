import ArgumentParser
import CalotypeCodecs
import CalotypeCore

struct SizeOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: "Width of the box for the image, in pixels; default: unbounded."
    )
    var width: Int?

    @Option(
        parsing: .unconditional,
        help: "Height of the box for the image, in pixels; default: unbounded."
    )
    var height: Int?

    func validate() throws {
        guard (width ?? 1) >= 1, (height ?? 1) >= 1 else {
            throw ValidationError("--width and --height must be at least 1.")
        }
    }

    /// The box, or `nil` if neither side is given.
    var box: PixelBox? {
        width == nil && height == nil ? nil : PixelBox(width: width, height: height)
    }
}

/// A mode of fitting an image to a box.
enum SizeMode: String, ExpressibleByArgument, CaseIterable {
    /// The image lies within the box.
    case fit
    /// The image covers the box; nothing is cut off.
    case fill
}

extension PixelBox {
    /// Returns a decode target; the full size without a box.
    static func target(_ box: PixelBox?, mode: SizeMode) -> DecodeOptions.Target {
        guard let box else { return .full }
        return mode == .fit ? .fit(box) : .fill(box)
    }
}
