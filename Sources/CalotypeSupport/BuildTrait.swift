/// The package traits, each of which a dependent may turn off, and the traits of this build.
package enum BuildTrait: String, CaseIterable, Sendable {
    case avif = "AVIF"
    case gif = "GIF"
    case heic = "HEIC"
    case http = "HTTP"
    case jpegXL = "JPEGXL"
    case tiff = "TIFF"
    case transforms = "Transforms"

    /// True if this build has the trait.
    package var isOn: Bool { Self.on.contains(self) }

    /// The message that a feature is missing from this build, with the trait that adds it.
    package func absence(of what: String) -> String {
        "\(what) was left out of this build (trait \(rawValue))"
    }

    private static let on: Set<BuildTrait> = {
        var traits = Set(allCases)
        leaveOut(of: &traits)
        return traits
    }()

    /// Only code that calls a missing library uses `#if`; everything else reads ``isOn``.
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
