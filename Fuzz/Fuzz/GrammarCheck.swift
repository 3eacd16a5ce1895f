import Calotype
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials

@testable import CalotypeServer
@testable import CalotypeTransforms

/// The checks of targets of the service: limits of numbers, keys, and targets printed and parsed again.
enum GrammarCheck {
    static let limits = GrammarLimits()
    static let site: SiteOrigin? = result { () throws(RequestError) in
        try SiteOrigin("https://shop.example/base")
    }
    static let widths: AllowedWidths = {
        guard let widths = AllowedWidths([1, 16, 640, 1_920, 100_000]) else {
            preconditionFailure("the widths are valid")
        }
        return widths
    }()

    private static let sizes = [
        PixelSize(width: 1, height: 1), PixelSize(width: 641, height: 480),
        PixelSize(width: 1, height: 40_000), PixelSize(width: 65_535, height: 3),
    ]
    private static let picture = OverlayImage(TestImages.asymmetric(PixelSize(width: 5, height: 3)))

    /// Returns the result of parsing, or `nil` for an error, which is checked.
    static func result<Value>(_ parse: () throws(RequestError) -> Value) -> Value? {
        do throws(RequestError) {
            return try parse()
        } catch {
            precondition(!error.detail.isEmpty && error.detail.count <= 300, "an error says what is wrong")
            precondition(error.option?.count ?? 0 <= 32, "the name of an option is short")
            return nil
        }
    }

    /// Checks the numbers of a rendering, its source, its requests, and its transforms for several sizes.
    static func check(_ rendering: Rendering) {
        checkNumbers(of: rendering)
        checkSource(rendering.source)
        for source in rendering.watermarkSources {
            if let url = source.url { checkSource(url) }
        }
        let pictures = Dictionary(uniqueKeysWithValues: rendering.watermarkSources.map { ($0, picture) })
        let loaded = rendering.adding(WatermarkPictures(pictures: pictures, opacity: 0.5))
        for case let layout as any SizedTransform in loaded.transforms.steps { check(layout) }
        guard let request = result({ () throws(RequestError) in try rendering.request() }) else { return }
        let again = result { () throws(RequestError) in try rendering.request() }
        precondition(again == request, "equal renderings make equal requests")
    }

    private static func checkNumbers(of rendering: Rendering) {
        let qualities = [rendering.quality.quality].compactMap(\.self) + rendering.quality.byFormat.values
        precondition(qualities.allSatisfy((1...100).contains), "a quality is 1 to 100")
        precondition(rendering.quality.maxByteCount ?? 1 > 0, "a limit of bytes is above 0")
        precondition(rendering.maxFrameCount ?? 1 > 0, "a number of frames is above 0")
        let colors = rendering.quality.encoders.maxPNGColorCount ?? 2
        precondition((2...256).contains(colors), "a palette has 2 to 256 colours")
        if let pages = rendering.pages {
            let isInRange = pages.first >= 0 && (1...PageSelection.maxCount).contains(pages.count)
            precondition(isInRange, "pages are within their limits")
        }
        precondition(rendering.delivery.maxAge ?? .zero >= .zero, "a lifetime is not negative")
        precondition(rendering.watermarkSources.count <= limits.maxWatermarkCount, "watermarks are bounded")
    }

    /// Checks that the URL of a source has one spelling.
    private static func checkSource(_ source: SourceURL) {
        let text = source.description
        precondition(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a source is printable ASCII")
        precondition(!source.path.contains("/../"), "a source does not lead upwards")
        // In the name of a local file, a percent sign is literal.
        guard source.scheme != "local" else { return }
        precondition(result { () throws(RequestError) in try SourceURL(text) } == source, "\(text) changes")
    }

    /// Checks the steps of a layout for images of several sizes, which may have no result.
    private static func check(_ layout: any SizedTransform) {
        for size in sizes {
            for isDrawn in [false, true] {
                do throws(TransformError) {
                    let chain = try layout.chain(for: size, isDrawn: isDrawn)
                    precondition(!chain.steps.contains { $0 is any SizedTransform }, "a chain has no layouts")
                    checkCrop(in: chain, of: size)
                } catch {
                    precondition(!error.detail.isEmpty, "an error says what is wrong")
                }
            }
        }
    }

    /// Checks that the first crop is within the image.
    private static func checkCrop(in chain: TransformChain, of size: PixelSize) {
        guard let crop = chain.steps.first as? Crop, case .rect(let rect) = crop.region else { return }
        precondition(rect.clipped(to: size) == rect, "the crop \(rect) is within \(size)")
    }

    /// Checks that equal renderings have equal keys.
    static func checkEqual(_ left: Rendering?, _ right: Rendering, _ message: String) {
        precondition(left == right, message)
        let identities = [left?.transforms.cacheIdentity, right.transforms.cacheIdentity]
        precondition(identities[0] == identities[1], "equal transforms have equal keys: \(identities)")
    }

    /// Returns a text in which each byte other than a letter or a digit is escaped.
    static func percentEncoded(_ text: some StringProtocol) -> String {
        encoded(text) { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: false
            }
        }
    }

    /// Returns a text in which each byte that is not ASCII is escaped.
    static func asciiEncoded(_ text: some StringProtocol) -> String { encoded(text) { $0 < 0x80 } }

    private static func encoded(_ text: some StringProtocol, unless isKept: (UInt8) -> Bool) -> String {
        text.utf8.reduce(into: "") { result, byte in
            let digits = String(byte, radix: 16, uppercase: true)
            result += isKept(byte) ? String(UnicodeScalar(byte)) : "%\(byte < 16 ? "0" : "")\(digits)"
        }
    }
}
