import CalotypeCodecs
import CalotypeCore
import CalotypeServer
import Foundation

/// The lines about a rendering.
extension URLCheck {
    /// Returns the lines about metadata and colours; none for the service's defaults.
    private static func colorLines(about rendering: Rendering) -> [(String, String)] {
        var lines: [(String, String)] = []
        if let strips = rendering.stripsMetadata {
            let kept = "Exif, XMP and IPTC kept, upright, where the format holds them"
            lines.append(("metadata", strips ? "removed" : kept))
        }
        if let keeps = rendering.keepsCopyright, rendering.stripsMetadata != false {
            lines.append(("copyright", keeps ? "Exif's Artist and Copyright kept" : "removed"))
        }
        if let strips = rendering.stripsColorProfile {
            let kept = "Display P3 and other RGB kept where the format holds a profile"
            lines.append(("colours", strips ? "sRGB" : kept))
        }
        return lines
    }

    static func lines(about rendering: Rendering) -> [(String, String)] {
        var lines = [("source", rendering.source.description)]
        let steps = rendering.stepSummaries
        lines.append(
            ("steps", steps.isEmpty ? "none: the original image" : steps.joined(separator: ", "))
        )
        switch rendering.output {
        case .negotiated: lines.append(("format", "the best one the client accepts, else the original's"))
        case .preserved: lines.append(("format", "the original's, or one that browsers support"))
        case .format(let format): lines.append(("format", format.rawValue))
        case .original: lines.append(("format", "the original, unchanged"))
        }
        if let pages = rendering.pages {
            let last = pages.first + pages.count - 1
            let text = pages.count == 1 ? "\(pages.first)" : "\(pages.first) to \(last), stacked"
            lines.append(("pages", "\(text), counted from 0"))
        }
        if let quality = rendering.quality.quality { lines.append(("quality", "\(quality)")) }
        if let count = rendering.quality.maxByteCount { lines.append(("bytes", "at most \(count)")) }
        lines += colorLines(about: rendering)
        let encoders = rendering.quality.encoders.summaries
        if !encoders.isEmpty { lines.append(("encoders", encoders.joined(separator: ", "))) }
        if let count = rendering.maxFrameCount { lines.append(("frames", "at most \(count)")) }
        if rendering.frames == .first { lines.append(("frames", "the first")) }
        if let place = rendering.delivery.errorRedirect {
            lines.append(("on errors", "redirects to \(place)"))
        }
        if let expires = rendering.delivery.expires { lines.append(("until", "\(expires)")) }
        if let name = rendering.delivery.fileName { lines.append(("file name", name)) }
        return lines
    }
}
