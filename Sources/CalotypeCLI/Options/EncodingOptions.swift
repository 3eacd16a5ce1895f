import ArgumentParser

/// How well an image is encoded.
struct EncodingOptions: ParsableArguments {
    @Option(help: "The quality for formats that have one, 1...100; 90 for JPEG unless given.")
    var quality: Int?

    func validate() throws {
        guard (1...100).contains(quality ?? 1) else { throw ValidationError("--quality is 1...100.") }
    }
}
