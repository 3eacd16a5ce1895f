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

    /// Variables that cannot be left aside: without what they are for the service would be open.
    private(set) var mistakes: [SettingMistake] = []

    /// Whose values are the same as those of settings.
    private static let plain: [String: ServeSetting] = {
        let special = Set<String>([
            "IMGPROXY_MAX_SRC_RESOLUTION", "IMGPROXY_MAX_SRC_FILE_SIZE", "IMGPROXY_MAX_ANIMATION_FRAMES",
            "IMGPROXY_AUTO_AVIF", "IMGPROXY_AUTO_WEBP", "IMGPROXY_AUTO_JXL", "IMGPROXY_LOG_LEVEL",
            "IMGPROXY_LOG_FORMAT", "IMGPROXY_REQUESTS_QUEUE_SIZE", "IMGPROXY_ALLOWED_SOURCES",
            "IMGPROXY_ALWAYS_RASTERIZE_SVG",
        ]).union(ranges.keys)
        var plain: [String: ServeSetting] = [:]
        for setting in ServeSetting.all {
            for variable in setting.imgproxy where !special.contains(variable) { plain[variable] = setting }
        }
        return plain
    }()

    /// Names of its versions 3.x, with those of today.
    private static let formerNames = [
        "IMGPROXY_ENABLE_WEBP_DETECTION": "IMGPROXY_AUTO_WEBP",
        "IMGPROXY_ENABLE_AVIF_DETECTION": "IMGPROXY_AUTO_AVIF",
        "IMGPROXY_CONCURRENCY": "IMGPROXY_WORKERS",
        "IMGPROXY_READ_TIMEOUT": "IMGPROXY_READ_REQUEST_TIMEOUT",
        "IMGPROXY_WRITE_TIMEOUT": "IMGPROXY_WRITE_RESPONSE_TIMEOUT",
    ]

    /// The addresses that variables allow to load from.
    private static let ranges = [
        "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": ["127.0.0.0/8", "::1"],
        "IMGPROXY_ALLOW_LINK_LOCAL_SOURCE_ADDRESSES": ["169.254.0.0/16", "fe80::/10"],
        "IMGPROXY_ALLOW_PRIVATE_SOURCE_ADDRESSES": [
            "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7",
        ],
    ]

    /// Variables that guard imgproxy or hold its keys and have no setting here, each with its remedy.
    private static let guards = [
        "IMGPROXY_SECRET":
            "this service asks clients for no bearer token, and would be open: sign URLs with key and salt, "
            + "or have a proxy in front ask for it, and take the variable away",
        "IMGPROXY_ENV_LOCAL_FILE_PATH":
            "this service does not read it, nor the keys that may be in it: give the file to the process as "
            + "its environment, and take the variable away",
        "IMGPROXY_SOURCE_URL_ENCRYPTION_KEY":
            "this service does not read encrypted sources: take the variable away",
    ]

    /// What changes nothing here, whatever its value is.
    private static let needless: Set = [
        "IMGPROXY_USE_ETAG", "IMGPROXY_STRIP_METADATA", "IMGPROXY_AUTO_ROTATE", "IMGPROXY_SANITIZE_SVG",
        "IMGPROXY_USE_LAST_MODIFIED",
    ]

    /// Reads an environment.
    init(_ environment: [String: String]) {
        var set = environment.filter { $0.key.hasPrefix("IMGPROXY_") && !$0.value.isEmpty }
        for (former, name) in Self.formerNames {
            guard let text = set.removeValue(forKey: former), set[name] == nil else { continue }
            set[name] = text
        }
        readFormats(set)
        readRanges(set)
        for (variable, text) in set.sorted(by: { $0.key < $1.key }) {
            if let setting = Self.plain[variable] {
                values[setting.name] = Value(text: text, variable: variable)
            } else if let remedy = Self.guards[variable] {
                mistakes.append(SettingMistake(name: variable, origin: "environment", detail: remedy))
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
        case _ where Self.ranges[variable] != nil: break
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
            set(.svg, flag(variable, text) ? "draw" : "pass-through", variable)
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
            let variable = "IMGPROXY_AUTO_\(name)"
            return set[variable].map { flag(variable, $0) } ?? false
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

    /// The addresses that are allowed, where one of the variables is set; all must be false for none.
    private mutating func readRanges(_ set: [String: String]) {
        let given = Self.ranges.keys.sorted().filter { set[$0] != nil }
        guard let first = given.first else { return }
        let allowed = given.filter { variable in set[variable].map { flag(variable, $0) } ?? false }
        let ranges = allowed.flatMap { Self.ranges[$0] ?? [] }
        let text = ranges.isEmpty ? "false" : ranges.joined(separator: ",")
        self.set(.allowPrivateSources, text, allowed.first ?? first)
    }

    /// True or false; a mistake where it is neither.
    private mutating func flag(_ variable: String, _ text: String) -> Bool {
        if let flag = SettingReader.flag(text) { return flag }
        let detail = "“\(SafeText.shortened(text))” is neither true nor false"
        mistakes.append(SettingMistake(name: variable, origin: "environment", detail: detail))
        return false
    }
}
