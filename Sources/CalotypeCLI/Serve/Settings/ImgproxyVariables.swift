/// The `IMGPROXY_` variables of the environment, as settings of this service.
struct ImgproxyVariables: Sendable {
    struct Value: Hashable, Sendable {
        var text: String
        var variable: String
    }

    private(set) var values: [String: Value] = [:]

    /// Warnings about variables that are ignored or used differently, one line each.
    private(set) var warnings: [String] = []

    /// Errors about variables that protect imgproxy: ignoring them would leave the service open.
    private(set) var mistakes: [SettingMistake] = []

    /// Variables whose values need no conversion.
    private static let plain: [String: ServeSetting] = {
        let special = Set<String>([
            "IMGPROXY_MAX_SRC_RESOLUTION", "IMGPROXY_MAX_SRC_FILE_SIZE", "IMGPROXY_MAX_ANIMATION_FRAMES",
            "IMGPROXY_AUTO_AVIF", "IMGPROXY_AUTO_WEBP", "IMGPROXY_AUTO_JXL", "IMGPROXY_LOG_LEVEL",
            "IMGPROXY_LOG_FORMAT", "IMGPROXY_REQUESTS_QUEUE_SIZE", "IMGPROXY_ALLOWED_SOURCES",
            "IMGPROXY_ALWAYS_RASTERIZE_SVG", "IMGPROXY_FALLBACK_IMAGE_TTL",
            "IMGPROXY_FALLBACK_IMAGE_DATA", "IMGPROXY_USE_LINEAR_COLORSPACE",
        ]).union(ranges.keys)
        var plain: [String: ServeSetting] = [:]
        for setting in ServeSetting.all {
            for variable in setting.imgproxy where !special.contains(variable) { plain[variable] = setting }
        }
        return plain
    }()

    /// Names from imgproxy 3.x, with the current names.
    private static let formerNames = [
        "IMGPROXY_ENABLE_WEBP_DETECTION": "IMGPROXY_AUTO_WEBP",
        "IMGPROXY_ENABLE_AVIF_DETECTION": "IMGPROXY_AUTO_AVIF",
        "IMGPROXY_CONCURRENCY": "IMGPROXY_WORKERS",
        "IMGPROXY_READ_TIMEOUT": "IMGPROXY_READ_REQUEST_TIMEOUT",
        "IMGPROXY_WRITE_TIMEOUT": "IMGPROXY_WRITE_RESPONSE_TIMEOUT",
    ]

    /// Addresses that variables allow as sources.
    private static let ranges = [
        "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": ["127.0.0.0/8", "::1"],
        "IMGPROXY_ALLOW_LINK_LOCAL_SOURCE_ADDRESSES": ["169.254.0.0/16", "fe80::/10"],
        "IMGPROXY_ALLOW_PRIVATE_SOURCE_ADDRESSES": [
            "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7",
        ],
    ]

    /// Variables that protect imgproxy, hold its keys or open its sources, and have no equivalent setting,
    /// with the remedy.
    private static let guards = [
        "IMGPROXY_SECRET":
            "this service does not check bearer tokens and would be open; sign URLs with key and salt, or "
            + "check the token in a proxy, and unset this variable",
        "IMGPROXY_ENV_LOCAL_FILE_PATH":
            "this service reads neither that file nor the keys in it; put its variables in the environment "
            + "of the process, and unset this variable",
        "IMGPROXY_SOURCE_URL_ENCRYPTION_KEY":
            "this service does not support encrypted source URLs; unset this variable",
        "IMGPROXY_CUSTOM_REQUEST_HEADERS":
            "this service sends header fields only to origins named with them; set origins, and unset this "
            + "variable",
    ]

    /// Variables that must not be true, with the remedy.
    private static let refused = [
        "IMGPROXY_IGNORE_SSL_VERIFICATION":
            "certificates are always verified; name those of your sources in source-ca-file, or in origins, "
            + "and unset this variable",
        "IMGPROXY_COOKIE_PASSTHROUGH": cookieRemedy, "IMGPROXY_COOKIE_PASSTHROUGH_ALL": cookieRemedy,
    ]

    private static let cookieRemedy =
        "images are cached for all clients, so cookies of one are not sent to origins; set a Cookie field in "
        + "origins, and unset this variable"

    /// Variables that have no effect here, whatever their value.
    private static let needless: Set = [
        "IMGPROXY_USE_ETAG", "IMGPROXY_AUTO_ROTATE", "IMGPROXY_SANITIZE_SVG",
        "IMGPROXY_USE_LAST_MODIFIED", "IMGPROXY_COOKIE_BASE_URL",
    ]

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
                warnings.append("\(variable) is not supported; it is ignored")
            }
        }
    }

    private mutating func set(_ setting: ServeSetting, _ text: String, _ variable: String) {
        values[setting.name] = Value(text: text, variable: variable)
    }

    /// Reads a variable whose value needs a conversion.
    private mutating func readSpecial(_ variable: String, _ text: String) -> Bool {
        switch variable {
        case "IMGPROXY_AUTO_AVIF", "IMGPROXY_AUTO_WEBP", "IMGPROXY_AUTO_JXL": break
        case _ where Self.ranges[variable] != nil: break
        case _ where Self.refused[variable] != nil:
            guard flag(variable, text), let remedy = Self.refused[variable] else { break }
            mistakes.append(SettingMistake(name: variable, origin: "environment", detail: remedy))
        case "IMGPROXY_MAX_SRC_RESOLUTION":
            let pixels = Double(text).flatMap { Int(exactly: ($0 * 1e6).rounded()) }
            set(.sourcePixels, pixels.map { "\($0)" } ?? text, variable)
        case "IMGPROXY_MAX_SRC_FILE_SIZE":
            // In imgproxy 0 means no limit, which this service does not support.
            if text != "0" { set(.sourceBytes, text, variable) }
        case "IMGPROXY_REQUESTS_QUEUE_SIZE":
            if text != "0" { set(.queue, text, variable) }
        case "IMGPROXY_FALLBACK_IMAGE_TTL":
            // In imgproxy 0 means the lifetime of images.
            if text != "0" { set(.fallbackMaxAge, text, variable) }
        case "IMGPROXY_FALLBACK_IMAGE_DATA": set(.fallbackImage, "data:;base64,\(text)", variable)
        case "IMGPROXY_MAX_ANIMATION_FRAMES": readFrames(text, variable)
        case "IMGPROXY_ALWAYS_RASTERIZE_SVG":
            set(.svg, flag(variable, text) ? "draw" : "pass-through", variable)
        case "IMGPROXY_USE_LINEAR_COLORSPACE":
            set(.light, flag(variable, text) ? "linear" : "encoded", variable)
        case "IMGPROXY_LOG_LEVEL": set(.logLevel, text == "warn" ? "warning" : text, variable)
        case "IMGPROXY_LOG_FORMAT": set(.logFormat, text == "json" ? "json" : "text", variable)
        case "IMGPROXY_ALLOWED_SOURCES":
            // Here every path ends with an implied star.
            let places = text.split(separator: ",").map { $0.hasSuffix("/*") ? $0.dropLast(1) : $0 }
            set(.allowedSources, places.joined(separator: ","), variable)
        default: return false
        }
        return true
    }

    private mutating func readFrames(_ text: String, _ variable: String) {
        guard let count = Int(text), count > 1 else {
            return warnings.append(
                "\(variable)=\(SafeText.line(text)) is ignored: animations are preserved; see source-frames"
            )
        }
        set(.sourceFrames, text, variable)
    }

    /// Sets `auto-formats` if any of its variables is set.
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

    /// Sets `allow-private-sources` if any of its variables is set; false only if all are false.
    private mutating func readRanges(_ set: [String: String]) {
        let given = Self.ranges.keys.sorted().filter { set[$0] != nil }
        guard let first = given.first else { return }
        let allowed = given.filter { variable in set[variable].map { flag(variable, $0) } ?? false }
        let ranges = allowed.flatMap { Self.ranges[$0] ?? [] }
        let text = ranges.isEmpty ? "false" : ranges.joined(separator: ",")
        self.set(.allowPrivateSources, text, allowed.first ?? first)
    }

    /// Returns the Boolean; records any other text as a mistake.
    private mutating func flag(_ variable: String, _ text: String) -> Bool {
        if let flag = SettingReader.flag(text) { return flag }
        let detail = "“\(SafeText.shortened(text))” is not a Boolean; use true or false"
        mistakes.append(SettingMistake(name: variable, origin: "environment", detail: detail))
        return false
    }
}
