import CalotypeCore

/// A transform that computes in the colour space of the image; all others receive sRGB.
///
/// It moves pixels, or mixes them with one another, or with colours that it can convert.
protocol WideGamutTransform: ImageTransform {
    /// Returns the transform for pixels in a colour space other than sRGB; `nil` if it has none. The same
    /// transform by default.
    func adapted(to space: ColorSpace) -> (any ImageTransform)?
}

extension WideGamutTransform {
    func adapted(to space: ColorSpace) -> (any ImageTransform)? { self }
}

extension [any ImageTransform] {
    /// The transforms for pixels in a colour space: with their own colours converted to it, or after a
    /// conversion of the pixels to sRGB before the first one that requires it.
    func adapted(to space: ColorSpace) -> [any ImageTransform] {
        guard space != .sRGB else { return self }
        var steps: [any ImageTransform] = []
        for (index, step) in enumerated() {
            guard let own = (step as? any WideGamutTransform)?.adapted(to: space) else {
                return steps + [StandardColors()] + dropFirst(index)
            }
            steps.append(own)
        }
        return steps
    }
}

extension Crop: WideGamutTransform {}
extension Resize: WideGamutTransform {}
extension Turn: WideGamutTransform {}
extension Flip: WideGamutTransform {}
extension SmartCrop: WideGamutTransform {}
extension Blur: WideGamutTransform {}
extension Sharpen: WideGamutTransform {}

extension Trim: WideGamutTransform {
    func adapted(to space: ColorSpace) -> (any ImageTransform)? {
        guard let color else { return self }
        return color.levels(in: space).map { Trim(color: $0, tolerance: tolerance) }
    }
}

extension Pad: WideGamutTransform {
    func adapted(to space: ColorSpace) -> (any ImageTransform)? {
        color.levels(in: space).map { Pad(room: room, color: $0) }
    }
}

extension Rotation: WideGamutTransform {
    func adapted(to space: ColorSpace) -> (any ImageTransform)? {
        background.levels(in: space).map { Rotation(degrees: degrees, background: $0) }
    }
}

extension Flatten: WideGamutTransform {
    func adapted(to space: ColorSpace) -> (any ImageTransform)? {
        background.levels(in: space).map { Flatten(background: $0) }
    }
}

extension Border: WideGamutTransform {
    func adapted(to space: ColorSpace) -> (any ImageTransform)? {
        stroke.adapted(to: space).map { Border(stroke: $0) }
    }
}

extension Circle: WideGamutTransform {
    func adapted(to space: ColorSpace) -> (any ImageTransform)? {
        guard let border else { return self }
        return border.adapted(to: space).map { Circle(border: $0) }
    }
}

extension RoundCorners: WideGamutTransform {
    func adapted(to space: ColorSpace) -> (any ImageTransform)? {
        guard let border else { return self }
        return border.adapted(to: space).map { RoundCorners(radii: radii, border: $0) }
    }
}

extension Stroke {
    fileprivate func adapted(to space: ColorSpace) -> Stroke? {
        color.levels(in: space).map { Stroke(width: width, color: $0) }
    }
}
