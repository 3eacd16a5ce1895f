import CalotypeServer

/// The settings of the grammars of Next.js and Cloudflare, of uploads, and of pages of other origins.
extension ServeSettings {
    /// Reads them, and adds them to a service whose other settings are read.
    static func readGrammars(_ reader: inout SettingReader, _ service: inout ImageService.Configuration) {
        let widths = widths(&reader)
        let site = site(&reader, service)
        let isOpen = reader.flag(.allowUnsigned)
        if reader.flag(.nextImage), let widths = needed(.nextImage, widths, &reader, service) {
            var grammar = NextImageGrammar(widths: widths, site: site)
            grammar.qualities = qualities(&reader)
            service.nextImage = grammar
        } else if !reader.list(.nextQualities).isEmpty, !reader.flag(.nextImage) {
            reader.refuse(.nextQualities, "it has no effect without next-image; set next-image, or remove it")
        }
        if reader.flag(.cloudflare), let widths = needed(.cloudflare, widths, &reader, service) {
            service.cloudflare = CloudflareGrammar(widths: widths, site: site)
        }
        service.imgproxy?.widths = widths
        service.thumbor?.widths = widths
        // Beside guarded grammars, those without a key would let clients request anything.
        if service.nextImage != nil || service.cloudflare != nil, !isOpen {
            if service.imgproxy?.signature.isRequired == false { service.imgproxy = nil }
            if service.thumbor?.signature.isRequired == false { service.thumbor = nil }
        }
        service.usesClientHints = reader.flag(.clientHints)
        service.crossOrigin = crossOrigin(&reader)
        service.uploads = uploads(&reader, service)
    }

    /// Returns the widths of a guarded grammar; records a lack of them, or of allowed sources.
    private static func needed(
        _ setting: ServeSetting,
        _ widths: AllowedWidths?,
        _ reader: inout SettingReader,
        _ service: ImageService.Configuration
    ) -> AllowedWidths? {
        if service.sources.patterns == nil {
            reader.refuse(setting, "its URLs are not signed; set allowed-sources")
        }
        if widths == nil { reader.refuse(setting, "its URLs are not signed; set widths") }
        return service.sources.patterns == nil ? nil : widths
    }

    private static func widths(_ reader: inout SettingReader) -> AllowedWidths? {
        let texts = reader.list(.widths)
        guard !texts.isEmpty else { return nil }
        let widths = texts.compactMap { text in Int(text).flatMap { (1...maxWidth).contains($0) ? $0 : nil } }
        guard widths.count == texts.count, widths.count <= maxWidthCount else {
            let example = "widths of 1…\(maxWidth), such as 320,640,1280"
            reader.refuse(.widths, "write up to \(maxWidthCount) \(example)")
            return nil
        }
        return AllowedWidths(widths)
    }

    private static let maxWidth = 100_000
    private static let maxWidthCount = 100

    private static func qualities(_ reader: inout SettingReader) -> Set<Int>? {
        let texts = reader.list(.nextQualities)
        guard !texts.isEmpty else { return nil }
        let qualities = texts.compactMap { text in Int(text).flatMap { (1...100).contains($0) ? $0 : nil } }
        guard qualities.count == texts.count else {
            reader.refuse(.nextQualities, "write qualities of 1…100, such as 75,90")
            return nil
        }
        return Set(qualities)
    }

    private static func site(
        _ reader: inout SettingReader,
        _ service: ImageService.Configuration
    ) -> SiteOrigin? {
        let text = reader.text(.siteURL)
        guard !text.isEmpty else { return nil }
        guard reader.flag(.nextImage) || reader.flag(.cloudflare) else {
            reader.refuse(.siteURL, "it has no effect; set next-image or cloudflare, or remove it")
            return nil
        }
        do throws(RequestError) {
            let site = try SiteOrigin(text)
            guard service.sources.patterns?.contains(where: { $0.covers(hostOf: site.base) }) ?? true else {
                reader.refuse(.siteURL, "no allowed source is on it; add it to allowed-sources")
                return nil
            }
            return site
        } catch {
            reader.refuse(.siteURL, "it is not the URL of a site; write it like https://shop.example")
            return nil
        }
    }

    private static func crossOrigin(_ reader: inout SettingReader) -> CrossOriginPolicy? {
        let texts = reader.list(.allowOrigin)
        guard !texts.isEmpty else { return nil }
        do throws(RequestError) {
            return try CrossOriginPolicy(texts)
        } catch {
            reader.refuse(.allowOrigin, error.detail)
            return nil
        }
    }

    private static func uploads(
        _ reader: inout SettingReader,
        _ service: ImageService.Configuration
    ) -> UploadSettings? {
        let token = reader.text(.uploadToken)
        let timeout = reader.duration(.uploadTimeout)
        checkSecret(&reader, .uploadToken, token.utf8.count)
        if token.contains(" ") || !SettingText.isFieldValue(token) {
            reader.refuse(.uploadToken, "it has a blank or a non-ASCII character; use visible ASCII")
        }
        guard reader.flag(.uploads) else {
            for setting in [ServeSetting.uploadToken, .uploadTimeout] where reader.isGiven(setting) {
                reader.refuse(setting, "it has no effect without uploads; set uploads, or remove it")
            }
            return nil
        }
        guard let imgproxy = service.imgproxy else {
            reader.refuse(.uploads, "the imgproxy grammar is off; set key and salt")
            return nil
        }
        if token.isEmpty, !imgproxy.signature.isRequired {
            reader.refuse(.uploads, "any client could upload; set key and salt, or upload-token")
        }
        var uploads = UploadSettings(token: token.isEmpty ? nil : SigningKey(token))
        uploads.timeout = timeout
        return uploads
    }

    /// The protection of URLs, for the line about the start.
    var signingSummary: String {
        let guarded = [
            service.nextImage.map { _ in ServeSetting.nextImage.name },
            service.cloudflare.map { _ in ServeSetting.cloudflare.name },
        ].compactMap(\.self)
        let names = guarded.joined(separator: " and ")
        let limited = names.isEmpty ? "" : "; URLs of \(names) are limited by widths and allowed-sources"
        let isOff = service.imgproxy == nil && service.thumbor == nil
        if isOff, !names.isEmpty { return "URLs of \(names) are limited by widths and allowed-sources" }
        return (isSigned ? "URLs are signed" : "URLs are not signed, since no key is set") + limited
    }

    /// Reads the statuses that a fallback replaces; `nil` for the default.
    static func fallbackStatuses(_ reader: inout SettingReader) -> Set<Int>? {
        let texts = reader.list(.fallbackFor)
        guard !texts.isEmpty else { return nil }
        var statuses: Set<Int> = []
        for text in texts {
            switch text.lowercased() {
            case "4xx": statuses.formUnion(400...499)
            case "5xx": statuses.formUnion(500...599)
            default:
                guard let status = Int(text), (400...599).contains(status) else {
                    let shown = SafeText.shortened(text)
                    reader.refuse(.fallbackFor, "“\(shown)” is not a status of 400…599, 4xx or 5xx")
                    continue
                }
                statuses.insert(status)
            }
        }
        return statuses
    }
}
