import CalotypeTransforms

extension TransformGrammar {
    /// Steps that change how sharp a picture is.
    static let effectSteps: [TransformStep] = [
        TransformStep(
            "blur:sigma=NUMBER",
            examples: ["blur:sigma=3"],
            does: "Blurs with a Gaussian; sigma is its standard deviation in pixels, at most 200."
        ) { arguments throws(StepError) in
            .chain(.blur(sigma: try arguments.required("sigma", .number)))
        }
    ]
}
