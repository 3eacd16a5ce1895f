import CalotypeCodecs
import CalotypeCore
import CalotypeServer
import Foundation

/// The settings of the image service itself.
extension ServeSettings {
    /// - Parameters:
    ///   - reader: The settings.
    ///   - localRoot: The folder of local sources.
    ///   - readsAll: Whether codecs run where also those are confined whose memory limits cannot bound.
    /// - Returns: The configuration of the service.
    static func service(
        _ reader: inout SettingReader,
        localRoot: String?,
        readsAll: Bool
    ) -> ImageService.Configuration {
        var service = ImageService.Configuration()
        service.encodings.codecs = readsAll ? .standard : .publicWeb
        service.localRoot = localRoot.map { URL(filePath: $0, directoryHint: .isDirectory) }
        let signature = imgproxySignature(&reader)
        let thumborKey = reader.text(.thumborKey)
        checkSecret(&reader, .thumborKey, thumborKey.utf8.count)
        // A grammar without a key next to one with a key would bypass signatures.
        let needsImgproxyKey = !thumborKey.isEmpty && !signature.isRequired
        let needsThumborKey = thumborKey.isEmpty && signature.isRequired
        let imgproxy = grammar(&reader, signature)
        service.imgproxy = needsImgproxyKey ? nil : imgproxy
        let keys = thumborKey.isEmpty ? [] : [SigningKey(thumborKey)]
        service.thumbor = needsThumborKey ? nil : ThumborGrammar(signature: ThumborSignature(keys: keys))
        service.sources = policy(&reader, hasLocalRoot: localRoot != nil)
        service.encodings.qualities = qualities(&reader)
        service.encodings.keepsCopyright = reader.flag(.keepCopyright)
        service.encodings.stripsMetadata = reader.flag(.stripMetadata)
        service.encodings.stripsColorProfile = reader.flag(.stripColorProfile)
        setEncoders(&reader, in: &service)
        service.light = ResamplingLight(rawValue: reader.choice(.light)) ?? .automatic
        service.offers = offers(&reader, service.encodings)
        service.limits.maxByteCount = reader.bytes(.sourceBytes)
        service.limits.maxPixelCount = reader.count(.sourcePixels)
        service.limits.maxFrameCount = reader.count(.sourceFrames)
        service.limits.truncatesAnimations = true
        service.limits.maxDuration = reader.duration(.workTime)
        service.caching.maxAge = reader.duration(.maxAge)
        let whileRevalidate = reader.duration(.staleWhileRevalidate)
        service.caching.staleWhileRevalidate = whileRevalidate > .zero ? whileRevalidate : nil
        let ifError = reader.duration(.staleIfError)
        service.caching.staleIfError = ifError > .zero ? ifError : nil
        service.caching.followsOrigin = reader.flag(.followOrigin)
        service.encodesAVIFInBackground = reader.flag(.avifBehind)
        service.isAttachmentByDefault = reader.flag(.attachment)
        service.passesSVGThrough = reader.choice(.svg) == "pass-through"
        service.watermark = watermark(&reader)
        service.watermarkOpacity = watermarkOpacity(&reader)
        service.describesLocation = reader.flag(.infoLocation)
        service.timeout = reader.duration(.timeout)
        service.retryAfter = reader.duration(.retryAfter)
        readGrammars(&reader, &service)
        return service
    }

    private static func imgproxySignature(_ reader: inout SettingReader) -> ImgproxySignature {
        let (keys, salts) = (reader.text(.key), reader.text(.salt))
        let size = reader.count(.signatureSize)
        let trusted = Set(reader.list(.trustedSignatures))
        var pairs: [SigningKey] = []
        if !keys.isEmpty || !salts.isEmpty {
            if let known = SigningKey.keys(hex: keys, salts: salts) {
                pairs = known
                for key in keys.split(separator: ",") { checkSecret(&reader, .key, key.utf8.count / 2) }
            } else {
                reader.refuse(
                    .key,
                    "keys and salts must be hexadecimal, one salt for each key; use openssl rand -hex 32"
                )
            }
        }
        return ImgproxySignature(keys: pairs, byteCount: size, trusted: trusted)
    }

    private static func grammar(
        _ reader: inout SettingReader,
        _ signature: ImgproxySignature
    ) -> ImgproxyGrammar {
        var grammar = ImgproxyGrammar(signature: signature)
        do throws(RequestError) {
            grammar.presets = try ImgproxyPresets(reader.list(.presets))
        } catch {
            reader.refuse(.presets, error.detail)
        }
        grammar.allowsOnlyPresets = reader.flag(.onlyPresets)
        grammar.base64HasFileName = reader.flag(.base64FileName)
        grammar.baseURL = reader.text(.baseURL)
        if let problem = SettingText.problem(baseURL: grammar.baseURL) { reader.refuse(.baseURL, problem) }
        let options = reader.list(.allowedOptions)
        grammar.allowedOptions = options.isEmpty ? nil : Set(options)
        for option in options where !ImgproxyGrammar.supportsOption(option) {
            let near = SimilarNames.of(option, among: ImgproxyGrammar.optionNames)
            let hint = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
            let name = SafeText.shortened(option)
            reader.refuse(.allowedOptions, "unknown option “\(name)”\(hint)")
        }
        let separator = reader.text(.separator)
        if separator.count == 1, let character = separator.first, SettingText.separators.contains(character) {
            grammar.separator = character
            for error in grammar.presetErrors() { reader.refuse(.presets, error.detail) }
        } else {
            let characters = SettingText.separators.sorted().map(String.init).joined(separator: " ")
            let text = SafeText.shortened(separator)
            reader.refuse(.separator, "“\(text)” is not allowed; use one of \(characters)")
        }
        return grammar
    }

    private static func policy(_ reader: inout SettingReader, hasLocalRoot: Bool) -> SourcePolicy {
        let texts = reader.list(.allowedSources)
        var places: [SourcePolicy.Pattern] = []
        for text in texts {
            do throws(RequestError) {
                places.append(try SourcePolicy.Pattern(text))
            } catch {
                let example = "https://images.example/shop, *.images.example or local:///shop"
                reader.refuse(.allowedSources, "\(error.detail); write it like \(example)")
            }
        }
        var policy = SourcePolicy(patterns: texts.isEmpty ? nil : places)
        policy.includesLocalFiles = hasLocalRoot && texts.isEmpty
        return policy
    }

    private static func qualities(_ reader: inout SettingReader) -> [ImageFormat: Int] {
        let quality = reader.count(.quality)
        var qualities: [ImageFormat: Int] = [.jpeg: quality, .heic: quality]
        // Given values override the defaults of individual formats.
        let standard = ServeSetting.formatQuality.standard.split(separator: ",").map(String.init)
        for text in standard + reader.list(.formatQuality) {
            let parts = text.split(separator: "=")
            guard parts.count == 2, let format = format(String(parts[0])), let value = Int(parts[1]),
                (1...100).contains(value)
            else {
                reader.refuse(
                    .formatQuality,
                    "“\(SafeText.shortened(text))” is not format=1…100, such as webp=79"
                )
                continue
            }
            qualities[format] = value
        }
        return qualities
    }

    private static func offers(
        _ reader: inout SettingReader,
        _ encodings: EncodingDefaults
    ) -> [ImageFormat] {
        let names = reader.list(.autoFormats)
        guard names != ["none"] else { return [] }
        // Default formats that this build cannot encode are skipped.
        let isGiven = reader.isGiven(.autoFormats)
        return names.compactMap { name in
            let format = format(name)
            guard let format, [.avif, .webP, .jpegXL].contains(format) else {
                reader.refuse(
                    .autoFormats,
                    "“\(SafeText.shortened(name))” is not allowed; use avif, webp, jxl or none"
                )
                return nil
            }
            if isGiven, !encodings.supports(format) {
                let isForWorkers = EncodingDefaults(codecs: .standard).supports(format)
                let remedy = isForWorkers ? "set sandbox to on, or remove it" : "remove it"
                reader.refuse(.autoFormats, "this service cannot encode “\(name)”; \(remedy)")
            }
            return format
        }
    }

    private static func format(_ name: String) -> ImageFormat? { FormatName(argument: name)?.format }
}
