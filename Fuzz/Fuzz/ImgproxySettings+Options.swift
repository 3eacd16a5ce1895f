import CalotypeCore
import CalotypeTransforms

@testable import CalotypeServer

extension ImgproxySettings {
    /// The geometry, the effects, the overlays and the watermark as options of a URL.
    var printed: [String] {
        geometry + layout.effects.printed + overlays.printed + watermark.printed
            + (trim.map { ["t:\($0.tolerance):\($0.color.map { String($0.hex.prefix(6)) } ?? "")"] } ?? [])
    }

    private var geometry: [String] {
        let pads = [layout.padding.top, layout.padding.right, layout.padding.bottom, layout.padding.left]
        var options = [
            "rt:\(layout.type.rawValue)", "w:\(layout.width)", "h:\(layout.height)",
            "mw:\(layout.minWidth)", "mh:\(layout.minHeight)",
            "z:\(layout.zoomX):\(layout.zoomY)", "dpr:\(layout.dpr)", "el:\(layout.enlarges ? 1 : 0)",
            "pd:\(pads.map(String.init).joined(separator: ":"))",
            "rot:\(layout.turn?.rawValue ?? 0)",
            "fl:\(layout.flipsHorizontally ? 1 : 0):\(layout.flipsVertically ? 1 : 0)",
            "bl:\(layout.blurSigma.printed)", "sh:\(layout.sharpenSigma.printed)",
        ]
        options += layout.placement.printed.map { "g:\($0)" }
        options += layout.canvas.placement.printed.map { "ex:\(layout.canvas.isOn ? 1 : 0):\($0)" }
        options += layout.aspectCanvas.placement.printed
            .map { "exar:\(layout.aspectCanvas.isOn ? 1 : 0):\($0)" }
        if let area = layout.area {
            let sides = "c:\(area.width.printed):\(area.height.printed)"
            // Offsets of an area with a focus are those of the middle.
            options.append(sides + (area.placement.map { ":\($0.printed.last ?? "")" } ?? ""))
        }
        return options
    }
}

extension Placement {
    /// The arguments of options, in the order in which they are applied.
    fileprivate var printed: [String] {
        let offsets = "\(offsetX.printed):\(offsetY.printed)"
        return switch anchor {
        case .smart: ["sm"]
        case .focus(let x, let y): ["ce:\(offsets)", "fp:\(x.printed):\(y.printed)"]
        case .side(let gravity): ["\(gravity.printed):\(offsets)"]
        }
    }
}

extension Gravity {
    fileprivate var printed: String {
        switch self {
        case .topLeft: "nowe"
        case .top: "no"
        case .topRight: "noea"
        case .left: "we"
        case .center: "ce"
        case .right: "ea"
        case .bottomLeft: "sowe"
        case .bottom: "so"
        case .bottomRight: "soea"
        }
    }
}

extension ImgproxyEffects {
    fileprivate var printed: [String] {
        var options = [
            "a:\(brightness):\(contrast.printed):\(saturation.printed)",
            "mc:\(monochrome.intensity.printed):\(monochrome.color.printed)",
            "dt:\(duotone.intensity.printed):\(duotone.color.printed):\(duotone.light.printed)",
            "pix:\(pixelSide)",
        ]
        if let mask = unsharpMask {
            options.append("ush:\(mask.mode.rawValue):\(mask.weight.printed):\(mask.divider.printed)")
        }
        return options
    }
}

extension ImgproxyOverlays {
    fileprivate var printed: [String] {
        [
            "bg:\(background?.printed ?? "")", "bga:\(backgroundOpacity.printed)",
            "col:\(colorOpacity.printed):\(color.printed):\(keepsAlpha ? 1 : 0)",
            "gr:\(gradientOpacity.printed):\(gradientColor.printed):\(gradientDegrees.printed)"
                + ":\(gradientStart.printed):\(gradientStop.printed)",
        ]
    }
}

extension ImgproxyWatermark {
    fileprivate var printed: [String] {
        guard case .side(let gravity) = placement.anchor else {
            preconditionFailure("a watermark is at a side, a corner or in the middle")
        }
        let numbers = "\(placement.offsetX.printed):\(placement.offsetY.printed):\(scale.printed)"
        let address = source.url.map { url in
            // In the name of a local file, a percent sign is literal.
            let text = url.scheme == "local" ? URLText.percentDecoded(url.description) : nil
            return URLText.base64(Array((text ?? url.description).utf8), isPadded: false)
        }
        return [
            "wm::\(gravity.printed)",
            "wm:\(opacity.printed):\(isTiled ? "re" : gravity.printed):\(numbers)",
            "wms:\(width):\(height)", "wmr:\(source.degrees.printed)", "wmu:\(address ?? "")",
        ]
    }
}

extension RGBColor {
    fileprivate var printed: String { String(RGBAColor(self).hex.prefix(6)) }
}

extension Double {
    /// The shortest text that is read back exactly; both zeros are equal.
    fileprivate var printed: String { self == 0 ? "0" : "\(self)" }
}
