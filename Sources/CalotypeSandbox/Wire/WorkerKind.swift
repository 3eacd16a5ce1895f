import CalotypeCore

/// What a worker is made ready for before it locks itself in.
enum WorkerKind: String, CaseIterable, WiredByName {
    /// All formats but those that have a kind of their own.
    case common
    /// What libvips does, which takes as long to load as everything else together: transforms, TIFF, and raws
    /// of cameras, whose small pictures may be one.
    case vips
    /// SVG: librsvg, which reads the system's fonts while it draws.
    case svg

    init(_ format: ImageFormat) {
        let isTIFF = format == .tiff || ImageFormat.cameraRaws.contains(format)
        self = isTIFF ? .vips : format == .svg ? .svg : .common
    }
}
