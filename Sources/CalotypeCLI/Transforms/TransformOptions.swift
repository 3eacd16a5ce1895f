import ArgumentParser
import CalotypeCodecs
import CalotypeCore
import CalotypeSupport
import CalotypeTransforms

struct TransformOptions: ParsableArguments {
    @Option(
        name: [.customShort("t"), .customLong("transform")],
        help: ArgumentHelp(
            "Transform step, such as resize:fit=400x300; repeatable.",
            discussion: """
                The steps are applied in order, after --width and --height. “calotype transforms” lists them \
                all.
                """,
            valueName: "step"
        ),
        transform: TransformGrammar.parse
    )
    var steps: [ParsedStep] = []

    func validate() throws {
        guard steps.count <= TransformChain.maxStepCount else {
            throw ValidationError("--transform may be given at most \(TransformChain.maxStepCount) times.")
        }
    }

    var picturePaths: [String] {
        steps.compactMap { step in
            guard case .withPicture(let path, _) = step else { return nil }
            return path
        }
    }

    /// Returns the transforms, after reading overlay images.
    ///
    /// - Throws: ``CalotypeLoading/FetchError`` or ``CalotypeCodecs/DecodeError`` if such an image cannot be
    ///   read, ``CalotypeTransforms/TransformError`` if its step is invalid.
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
        return try await BlockingPool.command.run { () throws(DecodeError) in
            try CodecRegistry.standard.decode(data)
        }
    }
}
