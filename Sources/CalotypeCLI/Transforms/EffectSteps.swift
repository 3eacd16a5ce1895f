import CalotypeTransforms

extension TransformGrammar {
    /// Steps that change the sharpness of an image.
    static let effectSteps: [TransformStep] = [
        TransformStep(
            "blur:sigma=NUMBER",
            examples: ["blur:sigma=3"],
            does: "Blurs with a Gaussian; sigma is its standard deviation in pixels, at most 200."
        ) { arguments throws(StepError) in
            .chain(.blur(sigma: try arguments.required("sigma", .number)))
        },
        TransformStep(
            "sharpen[:sigma=NUMBER,amount=NUMBER,luminance=yes]",
            examples: ["sharpen:sigma=2,amount=3"],
            does: """
                Brings out details about as wide as sigma, by amount (0...10); both are 1 unless given. \
                luminance=yes leaves colours unchanged.
                """
        ) { arguments throws(StepError) in
            let sigma = try arguments.optional("sigma", .number) ?? 1
            let amount = try arguments.optional("amount", .number) ?? 1
            let onlyLuminance = try arguments.optional("luminance", .yes) ?? false
            return .chain(.sharpen(sigma: sigma, amount: amount, onlyLuminance: onlyLuminance))
        },
        TransformStep(
            "pixelate:side=N",
            examples: ["pixelate:side=12"],
            does: "Replaces each square of N by N pixels by its mean colour."
        ) { arguments throws(StepError) in
            .chain(.pixelate(side: try arguments.required("side", .integer)))
        },
        TransformStep(
            "noise:amount=N[,seed=N]",
            examples: ["noise:amount=60"],
            does: "Adds grain of N levels (0...255); another seed gives other grain."
        ) { arguments throws(StepError) in
            let amount = try arguments.required("amount", .integer)
            let seed = UInt64(bitPattern: Int64(try arguments.optional("seed", .integer) ?? 0))
            return .chain(.noise(amount: amount, seed: seed))
        },
    ]
}
