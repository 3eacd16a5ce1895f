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
            "sharpen[:sigma=NUMBER,amount=NUMBER]",
            examples: ["sharpen:sigma=2,amount=3"],
            does: "Brings out details about as wide as sigma, by amount (0...10); both are 1 unless given."
        ) { arguments throws(StepError) in
            let sigma = try arguments.optional("sigma", .number) ?? 1
            return .chain(.sharpen(sigma: sigma, amount: try arguments.optional("amount", .number) ?? 1))
        },
    ]
}
