import CalotypeCore

/// The formats or transforms that a worker prepares for before it enters the sandbox.
enum WorkerKind: String, CaseIterable, Codable {
    /// All formats without a kind of their own.
    case common
    /// TIFF and camera raws, whose thumbnails may be TIFF. Uses libvips, which takes as long to load as all
    /// other libraries together.
    case tiff
    /// SVG. Uses librsvg, which reads the system's fonts while it draws.
    case svg
    /// Transforms. Also uses libvips, in workers that parse no untrusted files.
    case transform
    /// Encoding of animations. The frames come from workers of other kinds, which never wait for these.
    case animation

    init(_ format: ImageFormat) {
        let isTIFF = format == .tiff || ImageFormat.cameraRaws.contains(format)
        self = isTIFF ? .tiff : format == .svg ? .svg : .common
    }

    /// True if this kind handles the format.
    func serves(_ format: ImageFormat) -> Bool {
        let kind = WorkerKind(format)
        return kind == self || self == .animation && kind == .common
    }
}
