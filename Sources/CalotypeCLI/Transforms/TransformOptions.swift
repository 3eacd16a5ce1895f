import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTransforms

/// The transforms of decoded images.
struct TransformOptions: ParsableArguments {
    private static let pool = BlockingPool(width: 1)

    @Option(
        name: [.customShort("t"), .customLong("transform")],
        help: ArgumentHelp(
            "A step such as resize:fit=400x300; may be given several times.",
            discussion: """
                The steps are applied in their order, after --width and --height. “calotype transforms” \
                lists them all.
                """,
            valueName: "step"
        ),
        transform: TransformGrammar.parse
    )
    var steps: [ParsedStep] = []

    func validate() throws {
        guard steps.count <= TransformChain.stepCountMax else {
            throw ValidationError("--transform is given at most \(TransformChain.stepCountMax) times.")
        }
    }

    /// The paths of the pictures that are laid over others.
    var picturePaths: [String] {
        steps.compactMap { step in
            guard case .withPicture(let path, _) = step else { return nil }
            return path
        }
    }

    /// The transforms, once the pictures that they lay over others are read.
    ///
    /// - Throws: ``CalotypeLoading/FetchError`` or ``CalotypeCodecs/DecodeError`` where such a picture cannot
    ///   be read, ``CalotypeTransforms/TransformError`` where its step makes no sense.
    func chain() async throws -> TransformChain {
        var chain: TransformChain = []
        for step in steps {
            switch step {
            case .chain(let next): chain = chain.appending(next)
            case .withPicture(let path, let make): chain = chain.appending(make(try await Self.picture(path)))
            }
        }
        try chain.validate()
        return chain
    }

    private static func picture(_ path: String) async throws -> Image {
        let data = try await FileBytes.read(path)
        return try await pool.run { () throws(DecodeError) in try CodecRegistry.standard.decode(data) }
    }
}
