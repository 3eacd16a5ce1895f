import CalotypeCore
import CalotypeTransforms
import FoundationEssentials

@testable import CalotypeServer

extension GrammarCheck {
    private static let keys = [SigningKey(key: [1, 2, 3], salt: [4, 5])]

    // MARK: imgproxy

    /// Checks options and a source of imgproxy.
    static func checkImgproxy(_ text: String) {
        let grammar = ImgproxyGrammar()
        let path = text.hasPrefix("/") ? text : "/\(text)"
        _ = grammar.explainedOptions(of: path)
        checkSettings(text)
        let rendering = result { () throws(RequestError) in try grammar.rendering(of: "/unsafe" + path) }
        if let rendering { check(rendering) }
        let signing = ImgproxyGrammar(signature: ImgproxySignature(keys: keys))
        guard let signed = result({ () throws(RequestError) in try signing.signed(path) }) else { return }
        do throws(RequestError) {
            let verified = try signing.rendering(of: signed)
            // A signed path has all slashes, an unsigned one is repaired once.
            if let rendering, signed.hasSuffix(path) { checkEqual(verified, rendering, "\(signed)") }
        } catch {
            precondition(error.code != .invalidSignature, "a signature of the service is valid: \(signed)")
        }
    }

    /// Checks that the settings of options, printed as options, are the same settings.
    private static func checkSettings(_ text: String) {
        var settings = ImgproxySettings()
        for segment in text.split(separator: "/").prefix(limits.maxOptionCount) {
            let parts = segment.parts(between: UInt8(ascii: ":"))
            guard parts.count > 1, parts.count <= limits.maxArgumentCount else { continue }
            var changed = settings
            if result({ () throws(RequestError) in try changed.apply(arguments(parts)) }) != nil {
                settings = changed
            }
        }
        checkNumbers(of: settings)
        var again = ImgproxySettings()
        for option in settings.printed {
            do throws(RequestError) {
                try again.apply(arguments(option.parts(between: UInt8(ascii: ":"))))
            } catch {
                preconditionFailure("\(error.detail), of \(settings.printed)")
            }
        }
        precondition(again.layout == settings.layout && again.trim == settings.trim, "\(settings.printed)")
        precondition(again.watermark == settings.watermark, "\(settings.printed)")
        precondition(again.overlays == settings.overlays, "\(settings.printed)")
        guard let source = result({ () throws(RequestError) in try SourceURL("https://a.example/b") }) else {
            return
        }
        let chains = [again, settings].map { $0.rendering(of: source).transforms }
        precondition(chains[0].cacheIdentity == chains[1].cacheIdentity, "equal settings have equal keys")
    }

    private static func arguments(_ parts: [Substring]) -> OptionArguments {
        OptionArguments(name: String(parts[0]), values: Array(parts.dropFirst()), limits: limits)
    }

    private static func checkNumbers(of settings: ImgproxySettings) {
        let (layout, effects, overlays) = (settings.layout, settings.layout.effects, settings.overlays)
        let watermark = settings.watermark
        let sides = [
            layout.width, layout.height, layout.minWidth, layout.minHeight, layout.padding.top,
            layout.padding.right, layout.padding.bottom, layout.padding.left, effects.pixelSide,
            watermark.width, watermark.height,
        ]
        precondition(sides.allSatisfy((0...limits.maxSide).contains), "\(sides) are sides")
        let scales = [layout.zoomX, layout.zoomY, layout.dpr, effects.contrast, effects.saturation]
        precondition(scales.allSatisfy { $0 > 0 && $0 <= limits.maxScale }, "\(scales) are factors")
        let parts = [
            effects.monochrome.intensity, effects.duotone.intensity, overlays.backgroundOpacity,
            overlays.colorOpacity, overlays.gradientOpacity, overlays.gradientStart, overlays.gradientStop,
            watermark.opacity,
        ]
        precondition(parts.allSatisfy((0...1).contains), "\(parts) are parts of 1")
        let sigmas = [layout.blurSigma, layout.sharpenSigma]
        precondition(sigmas.allSatisfy((0...200).contains), "\(sigmas) are radii")
        let offsets = [layout.placement, layout.canvas.placement, watermark.placement]
            .flatMap { [$0.offsetX, $0.offsetY] }
        precondition(offsets.allSatisfy { abs($0) <= Double(limits.maxSide) }, "\(offsets) are offsets")
        let turns = [overlays.gradientDegrees, watermark.source.degrees]
        precondition(turns.allSatisfy { abs($0) <= 3_600 }, "\(turns) are angles")
        precondition((-255...255).contains(effects.brightness), "the brightness is a level")
        precondition((0...limits.maxScale).contains(watermark.scale), "the scale of a watermark is bounded")
    }

    // MARK: thumbor

    /// Checks segments, filters and a source of thumbor.
    static func checkThumbor(_ text: String) {
        let grammar = ThumborGrammar()
        _ = grammar.explainedOptions(of: text)
        let rendering = result { () throws(RequestError) in try grammar.rendering(of: "/unsafe/" + text) }
        if let rendering {
            check(rendering)
            for case let layout as ThumborLayout in rendering.transforms.steps { checkNumbers(of: layout) }
            // A query is ignored.
            let printed = escaped(thumbor: String(text.prefix(before: UInt8(ascii: "?"))))
            let again = result { () throws(RequestError) in try grammar.rendering(of: "/unsafe/" + printed) }
            let isShort = printed.utf8.count < limits.maxPathByteCount - 10
            if isShort { checkEqual(again, rendering, "\(printed) is \(text)") }
        }
        let signing = ThumborGrammar(signature: ThumborSignature(keys: keys))
        guard !text.hasPrefix("/"), text.utf8.count < limits.maxPathByteCount - 100 else { return }
        do throws(RequestError) {
            let verified = try signing.rendering(of: signing.signed(text))
            if let rendering { checkEqual(verified, rendering, "the signed path is \(text)") }
        } catch {
            precondition(error.code != .invalidSignature, "a signature of the service is valid")
        }
    }

    /// Returns a path with each byte of its filters escaped.
    private static func escaped(thumbor path: String) -> String {
        guard let start = path.firstRange(ofBytes: "filters:")?.upperBound,
            let end = path[start...].firstRange(ofBytes: ")/"),
            let filters = URLText.percentDecoded(path[start..<end.lowerBound])
        else { return path }
        return path[..<start] + percentEncoded(filters) + path[end.lowerBound...]
    }

    private static func checkNumbers(of layout: ThumborLayout) {
        for case .pixels(let side) in [layout.width, layout.height] {
            precondition((1...limits.maxSide).contains(side), "\(side) is a side")
        }
        let rects = layout.focalAreas + (layout.crop.map { [$0] } ?? [])
        for rect in rects {
            let numbers = [rect.x, rect.y, rect.x + rect.width, rect.y + rect.height]
            precondition(numbers.allSatisfy((0...limits.maxSide).contains), "\(rect) is bounded")
        }
        precondition(layout.focalAreas.allSatisfy { !$0.size.isEmpty }, "a focal area is not empty")
        precondition(layout.steps.count <= 2 * limits.maxOptionCount, "filters are bounded")
        for case .proportion(let part) in layout.steps {
            precondition(part > 0 && part <= 1, "\(part) is a part of 1")
        }
        for case .watermark(let watermark) in layout.steps {
            let parts = [watermark.widthPart, watermark.heightPart].compactMap(\.self)
            precondition((0...1).contains(watermark.opacity), "an opacity is a part of 1")
            precondition(parts.allSatisfy { $0 > 0 && $0 <= 100 * limits.maxScale }, "\(parts) are percents")
        }
    }
}
