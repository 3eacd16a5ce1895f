import CalotypeCore

/// What a worker is made ready for before it locks itself in.
enum WorkerKind: String, CaseIterable, WiredByName {
    /// All formats but those that have a kind of their own.
    case common
    /// TIFF, and raws of cameras, whose small pictures may be one: libvips, which takes as long to load as
    /// everything else together.
    case tiff
    /// SVG: librsvg, which reads the system's fonts while it draws.
    case svg
    /// Transforms: libvips too, in workers that read no bytes of strangers.
    case transform
    /// Animations that are encoded: their frames come from workers of the other kinds, which wait for none of
    /// these.
    case animation

    /// The kind that decodes and encodes a format.
    init(_ format: ImageFormat) {
        let isTIFF = format == .tiff || ImageFormat.cameraRaws.contains(format)
        self = isTIFF ? .tiff : format == .svg ? .svg : .common
    }

    /// Whether it works with a format.
    func serves(_ format: ImageFormat) -> Bool {
        let kind = WorkerKind(format)
        return kind == self || self == .animation && kind == .common
    }
}
