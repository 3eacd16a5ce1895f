import CalotypeCore
import CalotypeTransforms

extension TransformGrammar {
    static let colorSteps: [TransformStep] = [
        TransformStep(
            "adjust:[brightness=NUMBER][,contrast=NUMBER][,saturation=NUMBER][,gamma=NUMBER][,hue=DEGREES]",
            examples: [
                "adjust:brightness=0.1,contrast=1.4", "adjust:saturation=0.4", "adjust:gamma=2",
                "adjust:hue=90",
            ],
            does: """
                Adds brightness (-1...1), multiplies contrast and saturation (0...4), raises gamma \
                (0.1...10), turns the hue.
                """,
            make: adjust
        ),
        TransformStep(
            "grayscale",
            examples: ["grayscale"],
            does: "Takes the colours away."
        ) { _ throws(StepError) in .chain(.grayscale) },
        TransformStep(
            "sepia[:intensity=NUMBER]",
            examples: ["sepia"],
            does: "Turns colours into the brown of old photographs; intensity is 0...1."
        ) { arguments throws(StepError) in
            .chain(.sepia(intensity: try arguments.optional("intensity", .number) ?? 1))
        },
        TransformStep(
            "invert",
            examples: ["invert"],
            does: "Makes each colour its opposite."
        ) { _ throws(StepError) in .chain(.invert) },
        TransformStep(
            "tint:color=COLOR[,blend=BLEND]",
            examples: ["tint:color=f80,blend=multiply", "tint:color=0068c880,blend=sourceAtop"],
            does: """
                Lays a colour on the picture; unless blend is given, the picture keeps its outlines only and \
                gets the colour.
                """
        ) { arguments throws(StepError) in
            let color = try arguments.required("color", .color)
            return .chain(.tint(color, blend: try arguments.optional("blend", .choice) ?? .sourceIn))
        },
        TransformStep(
            "flatten[:color=COLOR]",
            examples: ["flatten:color=f80"],
            preparation: "circle",
            does: "Lays the picture on a colour, white unless given, so that nothing shows through."
        ) { arguments throws(StepError) in
            .chain(.flatten(onto: try arguments.optional("color", .opaqueColor) ?? .white))
        },
    ]

    private static func adjust(_ arguments: StepArguments) throws(StepError) -> ParsedStep {
        try arguments.requireAny(of: "brightness", "contrast", "saturation", "gamma", "hue")
        return .chain(
            .adjust(
                brightness: try arguments.optional("brightness", .number) ?? 0,
                contrast: try arguments.optional("contrast", .number) ?? 1,
                saturation: try arguments.optional("saturation", .number) ?? 1,
                gamma: try arguments.optional("gamma", .number) ?? 1,
                hueDegrees: try arguments.optional("hue", .number) ?? 0
            )
        )
    }
}
