import CalotypeCore
import CalotypeTransforms
import FoundationEssentials

@testable import CalotypeServer

extension GrammarCheck {
    // MARK: Next.js

    /// Checks a target of Next.js, which is parsed from the path on.
    static func checkNextImage(_ text: String) {
        let grammar = NextImageGrammar(widths: widths, site: site)
        for target in [text, NextImageGrammar.path + "?" + text] {
            _ = grammar.explainedOptions(of: target)
            let rendering = result { () throws(RequestError) in try grammar.rendering(of: target) }
            let encoded = result { () throws(RequestError) in
                try grammar.rendering(of: asciiEncoded(target))
            }
            precondition(encoded == rendering || target.utf8.count > 2_000, "escaped bytes are the same text")
            guard let rendering else { continue }
            check(rendering)
            let printed = nextImage(rendering)
            let again = result { () throws(RequestError) in try grammar.rendering(of: printed) }
            // Escapes may make a URL too long.
            guard printed.utf8.count <= 3_000 else { continue }
            checkEqual(again, rendering, "\(printed) is \(target)")
        }
    }

    private static func nextImage(_ rendering: Rendering) -> String {
        guard let layout = rendering.transforms.steps.first as? ImgproxyLayout,
            let quality = rendering.quality.byFormat[.jpeg]
        else { preconditionFailure("a target of Next.js has a width and a quality") }
        precondition(widths.contains(layout.width), "the width is one of those allowed")
        precondition(rendering.transforms.steps.count == 1, "a target of Next.js only resizes")
        let source = percentEncoded(rendering.source.description)
        return "\(NextImageGrammar.path)?w=\(layout.width)&q=\(quality)&url=\(source)"
    }

    // MARK: Cloudflare

    /// Checks a target of Cloudflare, which is parsed from the path on.
    static func checkCloudflare(_ text: String) {
        let grammar = CloudflareGrammar(widths: widths, site: site)
        for target in [text, CloudflareGrammar.prefix + text] {
            _ = result { () throws(RequestError) in try grammar.explainedOptions(of: target) }
            let parsed = result { () throws(RequestError) in try grammar.rendering(of: target) }
            guard let rendering = parsed else { continue }
            check(rendering)
            checkRedirect(of: rendering)
            checkWidths(of: rendering)
            guard let printed = escaped(cloudflare: target, rendering, grammar) else { continue }
            var again = result { () throws(RequestError) in try grammar.rendering(of: printed) }
            guard printed.utf8.count <= limits.maxPathByteCount else { continue }
            again?.delivery.errorRedirect = rendering.delivery.errorRedirect
            checkEqual(again, rendering, "\(printed) is \(target)")
        }
    }

    /// Returns a target with each value escaped, and a source with its scheme.
    private static func escaped(
        cloudflare target: String,
        _ rendering: Rendering,
        _ grammar: CloudflareGrammar
    ) -> String? {
        let text = target.dropFirst(CloudflareGrammar.prefix.count).prefix(before: UInt8(ascii: "/"))
        let options = result { () throws(RequestError) in try grammar.options(text) }
        let parts = options?.map { "\($0.name)=\(percentEncoded($0.text(0)))" }
        return parts.map {
            CloudflareGrammar.prefix + $0.joined(separator: ",") + "/" + rendering.source.description
        }
    }

    /// Checks that a redirect leads to a path of the service, or to the site.
    private static func checkRedirect(of rendering: Rendering) {
        guard let place = rendering.delivery.errorRedirect else { return }
        let host = URL(string: place)?.host() ?? ""
        let isPath = place.utf8.starts(with: "/".utf8) && !place.utf8.starts(with: "//".utf8)
        precondition(isPath || host == "shop.example" || host.hasSuffix(".shop.example"), "\(place)")
        precondition(place.utf8.allSatisfy { $0 > 32 && $0 < 127 }, "\(place) can be a header field")
    }

    /// Checks that the sizes are those that clients without a signature may request.
    private static func checkWidths(of rendering: Rendering) {
        for case let layout as CloudflareLayout in rendering.transforms.steps {
            let frame = layout.frame
            guard frame.width > 0 || frame.height > 0 else { continue }
            let side = Double(frame.width > 0 ? frame.width : frame.height) * frame.zoomX * frame.dpr
            // The height of an image with a width follows from the width.
            let isFree = frame.width == 0 && frame.type == .force
            precondition(isFree || widths.contains(Int(side.rounded())), "\(side) is an allowed width")
        }
    }
}
