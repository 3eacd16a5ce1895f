import ArgumentParser

/// How well an image is encoded.
struct EncodingOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "The quality for formats that have one, 0...100; 90 for JPEG unless given."
    )
    var quality: Int?

    func validate() throws {
        guard (0...100).contains(quality ?? 0) else { throw ValidationError("--quality is 0...100.") }
    }
}
