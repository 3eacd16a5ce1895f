/// What the environment says for imgproxy, as settings of this service.
struct ImgproxyVariables: Sendable {
    /// What one says.
    struct Value: Hashable, Sendable {
        var text: String
        var variable: String
    }

    /// By the names of settings.
    private(set) var values: [String: Value] = [:]

    /// Which are set and not followed, and why, a line each.
    private(set) var warnings: [String] = []

    /// Whose values are the same as those of settings.
    private static let plain: [String: ServeSetting] = {
        let special: Set = [
            "IMGPROXY_MAX_SRC_RESOLUTION", "IMGPROXY_MAX_SRC_FILE_SIZE", "IMGPROXY_MAX_ANIMATION_FRAMES",
            "IMGPROXY_AUTO_AVIF", "IMGPROXY_AUTO_WEBP", "IMGPROXY_AUTO_JXL", "IMGPROXY_LOG_LEVEL",
            "IMGPROXY_LOG_FORMAT", "IMGPROXY_REQUESTS_QUEUE_SIZE", "IMGPROXY_ALLOWED_SOURCES",
            "IMGPROXY_ALWAYS_RASTERIZE_SVG",
        ]
        var plain: [String: ServeSetting] = [:]
        for setting in ServeSetting.all {
            for variable in setting.imgproxy where !special.contains(variable) { plain[variable] = setting }
        }
        return plain
    }()

    /// What changes nothing here, whatever its value is.
    private static let needless: Set = [
        "IMGPROXY_USE_ETAG", "IMGPROXY_STRIP_METADATA", "IMGPROXY_AUTO_ROTATE", "IMGPROXY_SANITIZE_SVG",
        "IMGPROXY_USE_LAST_MODIFIED",
    ]

    /// Reads an environment.
    init(_ environment: [String: String]) {
        let set = environment.filter { $0.key.hasPrefix("IMGPROXY_") && !$0.value.isEmpty }
        readFormats(set)
        for (variable, text) in set.sorted(by: { $0.key < $1.key }) {
            if let setting = Self.plain[variable] {
                values[setting.name] = Value(text: text, variable: variable)
            } else if !readSpecial(variable, text), !Self.needless.contains(variable) {
                warnings.append("\(variable) is set, and this service does not have it")
            }
        }
    }

    private mutating func set(_ setting: ServeSetting, _ text: String, _ variable: String) {
        values[setting.name] = Value(text: text, variable: variable)
    }

    /// Reads a variable whose values are others than those of its setting.
    private mutating func readSpecial(_ variable: String, _ text: String) -> Bool {
        switch variable {
        case "IMGPROXY_AUTO_AVIF", "IMGPROXY_AUTO_WEBP", "IMGPROXY_AUTO_JXL": break
        case "IMGPROXY_MAX_SRC_RESOLUTION":
            let pixels = Double(text).flatMap { Int(exactly: ($0 * 1e6).rounded()) }
            set(.sourcePixels, pixels.map { "\($0)" } ?? text, variable)
        case "IMGPROXY_MAX_SRC_FILE_SIZE":
            // 0 is for no limit there, and there is none without one here.
            if text != "0" { set(.sourceBytes, text, variable) }
        case "IMGPROXY_REQUESTS_QUEUE_SIZE":
            if text != "0" { set(.queue, text, variable) }
        case "IMGPROXY_MAX_ANIMATION_FRAMES": readFrames(text, variable)
        case "IMGPROXY_ALWAYS_RASTERIZE_SVG":
            let isTrue = ["1", "t", "true"].contains(text.lowercased())
            set(.svg, isTrue ? "draw" : "pass-through", variable)
        case "IMGPROXY_LOG_LEVEL": set(.logLevel, text == "warn" ? "warning" : text, variable)
        case "IMGPROXY_LOG_FORMAT": set(.logFormat, text == "json" ? "json" : "text", variable)
        case "IMGPROXY_ALLOWED_SOURCES":
            // A star at the end of a path is what every path has here.
            let places = text.split(separator: ",").map { $0.hasSuffix("/*") ? $0.dropLast(1) : $0 }
            set(.allowedSources, places.joined(separator: ","), variable)
        default: return false
        }
        return true
    }

    private mutating func readFrames(_ text: String, _ variable: String) {
        guard let count = Int(text), count > 1 else {
            return warnings.append(
                "\(variable)=\(SafeText.line(text)) is not followed: animations are kept; see source-frames"
            )
        }
        set(.sourceFrames, text, variable)
        warnings.append("\(variable) is taken for a limit: a longer animation is refused, not cut")
    }

    /// The formats that are to be made for whoever takes them, where one of the variables is set.
    private mutating func readFormats(_ set: [String: String]) {
        func isOn(_ name: String) -> Bool {
            ["1", "t", "true"].contains(set["IMGPROXY_AUTO_\(name)"]?.lowercased())
        }
        guard let first = ["JXL", "AVIF", "WEBP"].first(where: { set["IMGPROXY_AUTO_\($0)"] != nil }) else {
            return
        }
        let chosen = [("JXL", "jxl"), ("AVIF", "avif"), ("WEBP", "webp")].filter { isOn($0.0) }.map(\.1)
        self.set(
            .autoFormats,
            chosen.isEmpty ? "none" : chosen.joined(separator: ","),
            "IMGPROXY_AUTO_\(first)"
        )
    }
}
