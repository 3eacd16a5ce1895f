/// The traits of the package, each of which a dependent may turn off, and which of them this build has.
package enum BuildTrait: String, CaseIterable, Sendable {
    case avif = "AVIF"
    case gif = "GIF"
    case heic = "HEIC"
    case http = "HTTP"
    case jpegXL = "JPEGXL"
    case tiff = "TIFF"
    case transforms = "Transforms"

    /// Whether this build has what it stands for.
    package var isOn: Bool { Self.on.contains(self) }

    /// Says to a caller that something is not there, and which trait brings it back.
    package func absence(of what: String) -> String {
        "\(what) was left out of this build (trait \(rawValue))"
    }

    private static let on: Set<BuildTrait> = {
        var traits = Set(allCases)
        leaveOut(of: &traits)
        return traits
    }()

    /// Whatever else depends on a trait asks ``isOn``, but for what calls a library that is not there.
    private static func leaveOut(of traits: inout Set<BuildTrait>) {
        #if !AVIF
        traits.remove(.avif)
        #endif
        #if !GIF
        traits.remove(.gif)
        #endif
        #if !HEIC
        traits.remove(.heic)
        #endif
        #if !HTTP
        traits.remove(.http)
        #endif
        #if !JPEGXL
        traits.remove(.jpegXL)
        #endif
        #if !TIFF
        traits.remove(.tiff)
        #endif
        #if !Transforms
        traits.remove(.transforms)
        #endif
    }
}
