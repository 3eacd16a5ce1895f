import CalotypeTransforms

/// The image of a watermark, as a URL names it.
package struct WatermarkSource: Hashable, Sendable {
    /// The URL; `nil` for the image of the service's configuration.
    package var url: SourceURL?

    /// The rotation, clockwise.
    var degrees = 0.0

    init(url: SourceURL? = nil) { self.url = url }

    /// The source as text, unambiguous, for keys and descriptions.
    var text: String {
        let turn = degrees == 0 ? "" : "degrees=\(degrees) "
        return turn + (url?.description ?? "configured")
    }
}

/// The watermarks of a target by their sources; they may be decoded only when a layout is applied.
struct WatermarkPictures {
    var pictures: [WatermarkSource: OverlayImage] = [:]

    /// The factor for the opacities of imgproxy's options, 0...1.
    var opacity = 1.0
}

/// A layout that may end with watermarks, which the service loads and adds.
protocol WatermarkedLayout: SizedTransform {
    var watermarkSources: [WatermarkSource] { get }

    func adding(_ pictures: WatermarkPictures) -> Self
}

extension Rendering {
    /// The sources of all watermarks, each once, in order; empty if the response is the original.
    package var watermarkSources: [WatermarkSource] {
        guard output != .original else { return [] }
        var sources: [WatermarkSource] = []
        for case let layout as any WatermarkedLayout in transforms.steps {
            for source in layout.watermarkSources where !sources.contains(source) { sources.append(source) }
        }
        return sources
    }

    /// Returns the rendering with its watermarks.
    func adding(_ pictures: WatermarkPictures) -> Rendering {
        var rendering = self
        rendering.transforms = TransformChain(
            steps: transforms.steps.map { step in
                (step as? any WatermarkedLayout).map { $0.adding(pictures) } ?? step
            }
        )
        return rendering
    }
}

extension TransformError {
    /// A layout was applied before the service added its watermarks.
    static func unloadedWatermark(_ source: WatermarkSource) -> TransformError {
        TransformError(.invalidParameter, detail: "the watermark \(source.text.quoted) is not loaded")
    }
}
