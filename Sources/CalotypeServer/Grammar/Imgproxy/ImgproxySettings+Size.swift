import CalotypeTransforms

extension ImgproxySettings {
    /// Applies options of the result size.
    ///
    /// - Returns: Whether the option is one of them.
    mutating func applySize(_ name: String, _ option: OptionArguments) throws(RequestError) -> Bool {
        switch name {
        case "resize":
            try option.expect(1...8)
            if option.isGiven(0) { layout.type = try Self.resizingType(option) }
            try applySides(option.dropFirst(1))
        case "size":
            try option.expect(1...7)
            try applySides(option)
        case "resizing_type":
            try option.expect(1...1)
            layout.type = try Self.resizingType(option)
        case "width": layout.width = try Self.onlySide(option)
        case "height": layout.height = try Self.onlySide(option)
        case "min-width": layout.minWidth = try Self.onlySide(option)
        case "min-height": layout.minHeight = try Self.onlySide(option)
        case "zoom":
            try option.expect(1...2)
            layout.zoomX = try option.positive(0, max: option.limits.maxScale)
            layout.zoomY =
                option.count == 1 ? layout.zoomX : try option.positive(1, max: option.limits.maxScale)
        case "dpr":
            try option.expect(1...1)
            layout.dpr = try option.positive(0, max: option.limits.maxScale)
        case "enlarge":
            try option.expect(1...1)
            layout.enlarges = option.flag(0)
        default: return false
        }
        return true
    }

    /// Applies `width:height:enlarge:extend`; an empty argument leaves the value unchanged.
    private mutating func applySides(_ option: OptionArguments) throws(RequestError) {
        if option.isGiven(0) { layout.width = try option.side(0) }
        if option.isGiven(1) { layout.height = try option.side(1) }
        if option.isGiven(2) { layout.enlarges = option.flag(2) }
        guard option.count > 3 else { return }
        try Self.extend(&layout.canvas, option.dropFirst(3))
    }

    private static func onlySide(_ option: OptionArguments) throws(RequestError) -> Int {
        try option.expect(1...1)
        return try option.side(0)
    }

    private static func resizingType(
        _ option: OptionArguments
    ) throws(RequestError) -> ImgproxyLayout.ResizingType {
        guard let type = ImgproxyLayout.ResizingType(rawValue: String(option.text(0))) else {
            throw option.error("\(option.text(0).quoted) is not a resizing type")
        }
        return type
    }

    /// Applies `extend:gravity:x:y`.
    static func extend(
        _ canvas: inout ImgproxyLayout.Extension,
        _ option: OptionArguments
    ) throws(RequestError) {
        if option.isGiven(0) { canvas.isOn = option.flag(0) }
        guard option.count > 1 else { return }
        try canvas.placement.apply(option.dropFirst(1), allowsSmart: false)
    }
}

extension Placement {
    /// Applies `gravity:x:y`; missing offsets stay unchanged.
    mutating func apply(_ option: OptionArguments, allowsSmart: Bool) throws(RequestError) {
        let word = option.text(0)
        if word == "fp" {
            try option.expect(3...3)
            anchor = .focus(x: try option.number(1, 0...1), y: try option.number(2, 0...1))
            return
        }
        if word == "sm", allowsSmart {
            try option.expect(1...1)
            self = Placement(anchor: .smart)
            return
        }
        guard let gravity = Self.gravities[String(word)] else {
            let isOfDetector = word.hasPrefix("obj")
            throw isOfDetector
                ? option.unsupported("object detection is not supported")
                : option.error("\(word.quoted) is not a gravity")
        }
        try option.expect(1...3)
        anchor = .side(gravity)
        let limit = Double(option.limits.maxSide)
        if option.isGiven(1) { offsetX = try option.number(1, -limit...limit) }
        if option.isGiven(2) { offsetY = try option.number(2, -limit...limit) }
    }

    private static let gravities: [String: Gravity] = [
        "ce": .center, "no": .top, "so": .bottom, "ea": .right, "we": .left, "noea": .topRight,
        "nowe": .topLeft, "soea": .bottomRight, "sowe": .bottomLeft,
    ]
}
