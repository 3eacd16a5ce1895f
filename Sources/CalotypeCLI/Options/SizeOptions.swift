import ArgumentParser
import CalotypeCodecs
import CalotypeCore

/// The room that a result has.
struct SizeOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: "The width of the room for the image, in pixels; open unless given."
    )
    var width: Int?

    @Option(
        parsing: .unconditional,
        help: "The height of the room for the image, in pixels; open unless given."
    )
    var height: Int?

    func validate() throws {
        guard (width ?? 1) >= 1, (height ?? 1) >= 1 else {
            throw ValidationError("--width and --height are at least 1.")
        }
    }

    /// The room, or `nil` where no side was given.
    var box: PixelBox? {
        width == nil && height == nil ? nil : PixelBox(width: width, height: height)
    }
}

/// The way in which an image is fitted to a box.
enum SizeMode: String, ExpressibleByArgument, CaseIterable {
    /// It lies within.
    case fit
    /// It covers it; nothing is cut off.
    case fill
}

extension PixelBox {
    /// A decode target; the full size where there is no box.
    static func target(_ box: PixelBox?, mode: SizeMode) -> DecodeOptions.Target {
        guard let box else { return .full }
        return mode == .fit ? .fit(box) : .fill(box)
    }
}
