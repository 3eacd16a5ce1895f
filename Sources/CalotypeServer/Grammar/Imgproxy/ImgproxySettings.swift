import CalotypeCodecs
import CalotypeCore
import CalotypeTransforms

/// The combined options of a URL; of repeated options the last one applies.
struct ImgproxySettings: Hashable {
    struct Trim: Hashable {
        let tolerance: Int
        let color: RGBAColor?
    }

    var layout = ImgproxyLayout()
    var watermark = ImgproxyWatermark()
    var trim: Trim?
    var overlays = ImgproxyOverlays()
    var appliesOrientation = true
    var isStill = false
    /// The maximum number of frames; `nil` for the service's.
    var maxFrameCount: Int?
    var isRaw = false
    var firstPage: Int?
    var pageCount: Int?
    var description = DescriptionOptions()
    var format: ImageFormat?
    var quality = RenderingQuality()
    var passthrough: Set<ImageFormat> = []
    var keepsCopyright: Bool?
    var stripsMetadata: Bool?
    var stripsColorProfile: Bool?
    var keepsDepth: Bool?
    var delivery = Delivery()

    func rendering(of source: SourceURL) -> Rendering {
        var rendering = Rendering(source: source)
        rendering.delivery = delivery
        rendering.quality = quality
        rendering.passthrough = passthrough
        rendering.keepsCopyright = keepsCopyright
        rendering.stripsMetadata = stripsMetadata
        rendering.stripsColorProfile = stripsColorProfile
        rendering.keepsDepth = keepsDepth
        rendering.frames = isStill || maxFrameCount == 1 ? .first : .all
        rendering.maxFrameCount = rendering.frames == .all ? maxFrameCount : nil
        rendering.pages = pages
        rendering.description = description
        rendering.appliesOrientation = appliesOrientation
        rendering.output = isRaw ? .original : format.map { .format($0) } ?? .negotiated
        var chain = TransformChain()
        if let trim { chain = chain.appending(.trim(color: trim.color, tolerance: trim.tolerance)) }
        var layout = layout
        if watermark.opacity > 0 { (layout.watermark, layout.overlays) = (watermark, overlays) }
        if !layout.isIdle { chain = chain.appending(TransformChain(layout)) }
        if layout.watermark == nil { chain = chain.appending(overlays.chain) }
        rendering.transforms = chain
        return rendering
    }

    /// Rounds the sizes up to a list; the offsets of a watermark keep the density.
    mutating func round(to widths: AllowedWidths) {
        if watermark.opacity > 0 { layout.watermark = watermark }
        layout.round(to: widths)
    }

    /// The selected pages; `nil` unless an option selects them.
    private var pages: PageSelection? {
        guard firstPage != nil || pageCount != nil else { return nil }
        return PageSelection(first: firstPage ?? 0, count: pageCount ?? 1)
    }

    /// Applies one option.
    ///
    /// - Throws: ``RequestError`` that names the option.
    mutating func apply(_ option: OptionArguments) throws(RequestError) {
        let name = Self.longNames[option.name] ?? option.name
        if try applySize(name, option) { return }
        if try applyPlace(name, option) { return }
        if try applyPixels(name, option) { return }
        if try applyEffects(name, option) { return }
        if try applyWatermark(name, option) { return }
        if try applyOutput(name, option) { return }
        if try applyEncoders(name, option) { return }
        if try applyDelivery(name, option) { return }
        if try applyDescription(name, option) { return }
        if Self.securityOptions.contains(name) {
            let detail = "\(option.name.quoted) can be set by the service only"
            throw RequestError(.forbiddenOption, option: option.name, detail: detail)
        }
        guard Self.unsupportedOptions.contains(name) else {
            let detail = "unknown option \(option.name.quoted)"
            throw RequestError(.unknownOption, option: option.name, detail: detail)
        }
        throw option.unsupported("not supported by this service")
    }

    static func format(named name: some StringProtocol, option: String) throws(RequestError) -> ImageFormat {
        if name == "jpg" { return .jpeg }
        let format = ImageFormat(rawValue: String(name))
        guard ImageFormat.recognized.contains(format) else {
            throw RequestError(.invalidOption, option: option, detail: "\(name.quoted) is not a format")
        }
        guard format != .svg else {
            throw RequestError(.unsupportedFormat, option: option, detail: "SVG is not an output format")
        }
        return format
    }

    static let longNames = [
        "pg": "page", "pgs": "pages", "vm": "video_meta",
        "rs": "resize", "s": "size", "rt": "resizing_type", "w": "width", "h": "height", "mw": "min-width",
        "mh": "min-height", "z": "zoom", "el": "enlarge", "ex": "extend", "extend_ar": "extend_aspect_ratio",
        "exar": "extend_aspect_ratio", "g": "gravity", "c": "crop", "t": "trim", "pd": "padding",
        "ar": "auto_rotate", "rot": "rotate", "fl": "flip", "bg": "background", "bl": "blur",
        "sh": "sharpen", "pix": "pixelate", "wm": "watermark", "wmu": "watermark_url",
        "wms": "watermark_size", "wm_rot": "watermark_rotate", "wmr": "watermark_rotate",
        "q": "quality", "fq": "format_quality",
        "mb": "max_bytes", "f": "format", "ext": "format", "sm": "strip_metadata", "kcr": "keep_copyright",
        "scp": "strip_color_profile", "ph": "preserve_hdr", "eth": "enforce_thumbnail",
        "skp": "skip_processing", "cb": "cachebuster", "exp": "expires", "fn": "filename",
        "att": "return_attachment", "da": "disable_animation", "msr": "max_src_resolution",
        "msfs": "max_src_file_size", "maf": "max_animation_frames", "mafr": "max_animation_frame_resolution",
        "mrd": "max_result_dimension", "jpgo": "jpeg_options", "pngo": "png_options",
        "webpo": "webp_options", "avifo": "avif_options",
        "a": "adjust", "br": "brightness", "co": "contrast", "sa": "saturation", "mc": "monochrome",
        "dt": "duotone", "ush": "unsharp_masking", "col": "colorize", "gr": "gradient",
        "bga": "background_alpha",
    ]

    static let securityOptions: Set<String> = [
        "max_src_resolution", "max_src_file_size", "max_animation_frame_resolution", "max_result_dimension",
    ]

    /// Options of imgproxy, mostly of its paid version, that are not supported, by all of their names.
    static let unsupportedOptions: Set<String> = [
        "resizing_algorithm", "ra", "crop_aspect_ratio", "crop_ar", "car",
        "blur_areas", "ba", "progressive_blur", "pbl", "watermark_text", "wmt",
        "watermark_shadow", "wmsh", "style", "st", "dpi",
        "color_profile", "cp", "icc", "autoquality", "aq",
        "fallback_image_url", "fiu", "hashsum", "hs", "bypass_cache", "bc", "cache_tags", "ct",
        "objects_position", "obj_pos", "op", "blur_detections", "bd", "draw_detections", "dd",
        "crop_objects", "video_thumbnail_second", "vts", "video_thumbnail_keyframes", "vtk",
        "video_thumbnail_tile", "vtt", "video_thumbnail_animation", "vta", "gif_options",
    ]
}
