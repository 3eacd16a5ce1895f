import CalotypeCore
import CalotypeTransforms

extension TransformGrammar {
    /// Steps that cut shapes out of an image, and draw lines and other images on it.
    static let shapeSteps: [TransformStep] = [
        TransformStep(
            """
            round:radius=NUMBER|topLeft=NUMBER,topRight=NUMBER,bottomRight=NUMBER,bottomLeft=NUMBER\
            [,border=NUMBER[,color=COLOR]]
            """,
            examples: ["round:radius=20", "round:topLeft=120,bottomRight=120,border=8,color=white"],
            does: """
                Rounds all corners, or those that are named; border is the width of a line along the edge, \
                black unless a colour is given.
                """,
            make: round
        ),
        TransformStep(
            "circle[:border=NUMBER[,color=COLOR]]",
            examples: ["circle", "circle:border=12,color=f80"],
            does: "Cuts a disc out of the middle; border is the width of a line along its edge."
        ) { arguments throws(StepError) in
            .chain(.circle(border: try border(arguments)))
        },
        TransformStep(
            "border:width=NUMBER[,color=COLOR]",
            examples: ["border:width=12,color=white"],
            does: "Draws a line inside the edges, black unless a colour is given."
        ) { arguments throws(StepError) in
            let width = try arguments.required("width", .number)
            return .chain(.border(width: width, color: try arguments.optional("color", .color) ?? .black))
        },
        TransformStep(
            """
            overlay:file=PATH[,gravity=GRAVITY][,margin=N][,opacity=NUMBER]\
            [,tiled=yes[,spacing=N]][,blend=BLEND]
            """,
            examples: [
                "overlay:file=logo.png,gravity=bottomRight,margin=20",
                "overlay:file=logo.png,opacity=0.4,tiled=yes,spacing=16",
            ],
            does: """
                Lays the picture of a file on it, at the bottom right unless gravity is given; opacity is \
                0...1. The path may have commas, but no “,key=”.
                """,
            make: overlay
        ),
    ]

    private static func round(_ arguments: StepArguments) throws(StepError) -> ParsedStep {
        let border = try border(arguments)
        if let radius = try arguments.optional("radius", .number) {
            try arguments.refuse(
                "topLeft",
                "topRight",
                "bottomRight",
                "bottomLeft",
                because: "beside radius="
            )
            return .chain(.roundCorners(radius: radius, border: border))
        }
        try arguments.requireAny(of: "radius", "topLeft", "topRight", "bottomRight", "bottomLeft")
        let radii = CornerRadii(
            topLeft: try arguments.optional("topLeft", .number) ?? 0,
            topRight: try arguments.optional("topRight", .number) ?? 0,
            bottomRight: try arguments.optional("bottomRight", .number) ?? 0,
            bottomLeft: try arguments.optional("bottomLeft", .number) ?? 0
        )
        return .chain(.roundCorners(radii, border: border))
    }

    /// Returns the stroke of a shape, or `nil` if none is requested.
    private static func border(_ arguments: StepArguments) throws(StepError) -> Stroke? {
        let color = try arguments.optional("color", .color) ?? .black
        guard let width = try arguments.optional("border", .number) else {
            try arguments.refuse("color", because: "without border=")
            return nil
        }
        return Stroke(width: width, color: color)
    }

    private static func overlay(_ arguments: StepArguments) throws(StepError) -> ParsedStep {
        let gravity: Gravity = try arguments.optional("gravity", .choice) ?? .bottomRight
        let margin = try arguments.optional("margin", .integer) ?? 0
        let opacity = try arguments.optional("opacity", .number) ?? 1
        let isTiled = try arguments.optional("tiled", .yes) ?? false
        if !isTiled { try arguments.refuse("spacing", because: "without tiled=yes") }
        let spacing = try arguments.optional("spacing", .integer) ?? 0
        let blend: BlendMode = try arguments.optional("blend", .choice) ?? .sourceOver
        return .withPicture(path: try arguments.required("file", .text)) { picture in
            .overlay(
                picture,
                gravity: gravity,
                margin: margin,
                opacity: opacity,
                isTiled: isTiled,
                spacing: spacing,
                blend: blend
            )
        }
    }
}
