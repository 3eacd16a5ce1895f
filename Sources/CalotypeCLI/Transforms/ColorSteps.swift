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
                Adds brightness (-1...1), multiplies contrast and saturation (0...100), raises gamma \
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
            "monochrome[:color=COLOR,intensity=NUMBER]",
            examples: ["monochrome:color=f80"],
            does: "Gives the picture the shades of one colour, b3b3b3 unless given; intensity is 0...1."
        ) { arguments throws(StepError) in
            let gray = RGBColor(red: 179, green: 179, blue: 179)
            let color = try arguments.optional("color", .opaqueColor) ?? gray
            return .chain(
                .monochrome(intensity: try arguments.optional("intensity", .number) ?? 1, color: color)
            )
        },
        TransformStep(
            "duotone[:dark=COLOR,light=COLOR,intensity=NUMBER]",
            examples: ["duotone:dark=206,light=fc8"],
            does: """
                Replaces black and white by two colours, and all others by those between; intensity is \
                0...1.
                """
        ) { arguments throws(StepError) in
            let dark = try arguments.optional("dark", .opaqueColor) ?? .black
            let light = try arguments.optional("light", .opaqueColor) ?? .white
            let intensity = try arguments.optional("intensity", .number) ?? 1
            return .chain(.duotone(intensity: intensity, dark: dark, light: light))
        },
        TransformStep(
            "gradient:color=COLOR[,degrees=DEGREES,from=NUMBER,to=NUMBER]",
            examples: ["gradient:color=000000c0,from=0.4"],
            does: """
                Draws a colour that begins transparent at the top, or at the side that it is turned to, \
                clockwise; from and to are positions of 0...1.
                """
        ) { arguments throws(StepError) in
            let color = try arguments.required("color", .color)
            let degrees = try arguments.optional("degrees", .number) ?? 0
            let start = try arguments.optional("from", .number) ?? 0
            let stop = try arguments.optional("to", .number) ?? 1
            return .chain(.gradient(color, degrees: degrees, from: start, to: stop))
        },
        TransformStep(
            "equalize",
            examples: ["equalize"],
            does: "Distributes dark and light evenly, in each colour channel."
        ) { _ throws(StepError) in .chain(.equalize) },
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
