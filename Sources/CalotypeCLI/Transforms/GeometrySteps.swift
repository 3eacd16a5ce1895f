import CalotypeCore
import CalotypeTransforms

extension TransformGrammar {
    /// Steps that change the size of an image, or the position of its pixels.
    static let geometrySteps: [TransformStep] = [
        TransformStep(
            """
            resize:fit=WxH|fill=WxH|width=N|height=N|to=WxH\
            [,enlarge=yes][,kernel=\(kernels)][,light=\(lights)]
            """,
            examples: ["resize:fit=400x300", "resize:to=240x360"],
            does: """
                Makes the picture smaller: fit lies within, fill covers, with width or height the other side \
                follows, to stretches. Only to and enlarge=yes make it larger.
                """,
            make: resize
        ),
        TransformStep(
            "crop:rect=X,Y,W,H|size=WxH[,gravity=GRAVITY]|ratio=W:H[,gravity=GRAVITY]",
            examples: ["crop:rect=10,10,200,100", "crop:ratio=1:1,gravity=left"],
            does: "Cuts out a rectangle, a size or the largest part of a ratio, from the middle unless told.",
            make: crop
        ),
        TransformStep(
            "smartcrop:WxH",
            examples: ["smartcrop:200x200"],
            bareKey: "size",
            does: "Cuts out the part of this size that draws attention."
        ) { arguments throws(StepError) in
            .chain(.smartCrop(to: try arguments.required("size", .size)))
        },
        TransformStep(
            "trim[:color=COLOR,tolerance=LEVELS]",
            examples: ["trim:tolerance=20"],
            preparation: "pad:by=60,color=white",
            does:
                "Removes a border of one colour: that of the top left pixel, or color; tolerance is 0...255."
        ) { arguments throws(StepError) in
            let color = try arguments.optional("color", .color)
            return .chain(.trim(color: color, tolerance: try arguments.optional("tolerance", .integer) ?? 10))
        },
        TransformStep(
            "pad:to=WxH[,gravity=GRAVITY]|by=N|by=TOP,RIGHT,BOTTOM,LEFT[,color=COLOR]",
            examples: ["pad:by=40,color=f80", "pad:to=480x480,gravity=top"],
            does: "Adds pixels around the picture, transparent ones unless a colour is given.",
            make: pad
        ),
        TransformStep(
            "flip:\(ArgumentForm<FlipAxis>.names())",
            examples: ["flip:horizontal"],
            bareKey: "axis",
            does:
                "Mirrors the picture: horizontal puts the left on the right, vertical the top at the bottom."
        ) { arguments throws(StepError) in
            .chain(.flip(try arguments.required("axis", .choice)))
        },
        TransformStep(
            "rotate:DEGREES[,background=COLOR]",
            examples: ["rotate:90", "rotate:30,background=white"],
            bareKey: "degrees",
            does:
                "Turns clockwise; multiples of 90 are exact, else the corners are transparent or a colour."
        ) { arguments throws(StepError) in
            let degrees = try arguments.required("degrees", .number)
            let background = try arguments.optional("background", .color) ?? .clear
            return .chain(.rotate(byDegrees: degrees, background: background))
        },
    ]

    private static let kernels = ArgumentForm<ResamplingKernel>.names()
    private static let lights = ArgumentForm<ResamplingLight>.names()

    private static func resize(_ arguments: StepArguments) throws(StepError) -> ParsedStep {
        let enlarges = try arguments.optional("enlarge", .yes) ?? false
        let kernel: ResamplingKernel = try arguments.optional("kernel", .choice) ?? .lanczos3
        let light: ResamplingLight = try arguments.optional("light", .choice) ?? .automatic
        switch try arguments.one(of: "fit", "fill", "width", "height", "to") {
        case "fit":
            let size = try arguments.required("fit", .size)
            return .chain(
                .resize(toFit: size, enlarges: enlarges, kernel: kernel, light: light)
            )
        case "fill":
            let size = try arguments.required("fill", .size)
            return .chain(
                .resize(toFill: size, enlarges: enlarges, kernel: kernel, light: light)
            )
        case "width":
            let width = try arguments.required("width", .integer)
            return .chain(
                .resize(toWidth: width, enlarges: enlarges, kernel: kernel, light: light)
            )
        case "height":
            let height = try arguments.required("height", .integer)
            return .chain(
                .resize(toHeight: height, enlarges: enlarges, kernel: kernel, light: light)
            )
        default:
            try arguments.refuse("enlarge", because: "beside to=")
            let size = try arguments.required("to", .size)
            return .chain(.resize(to: size, kernel: kernel, light: light))
        }
    }

    private static func crop(_ arguments: StepArguments) throws(StepError) -> ParsedStep {
        let gravity: Gravity = try arguments.optional("gravity", .choice) ?? .center
        switch try arguments.one(of: "rect", "size", "ratio") {
        case "rect":
            try arguments.refuse("gravity", because: "beside rect=")
            let form = ArgumentForm<[Int]>.integers(4, such: "four whole numbers, such as 10,10,200,100")
            let numbers = try arguments.required("rect", form)
            let rect = PixelRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
            return .chain(.crop(to: rect))
        case "size":
            return .chain(.crop(to: try arguments.required("size", .size), gravity: gravity))
        default:
            return .chain(.crop(toAspectRatio: try arguments.required("ratio", .ratio), gravity: gravity))
        }
    }

    private static func pad(_ arguments: StepArguments) throws(StepError) -> ParsedStep {
        let gravity: Gravity = try arguments.optional("gravity", .choice) ?? .center
        let color = try arguments.optional("color", .color) ?? .clear
        switch try arguments.one(of: "to", "by") {
        case "to":
            return .chain(.pad(to: try arguments.required("to", .size), gravity: gravity, color: color))
        default:
            try arguments.refuse("gravity", because: "beside by=")
            let form = ArgumentForm<[Int]>.integers(
                1,
                4,
                such: "one or four whole numbers, such as 10 or 5,10,5,10"
            )
            let numbers = try arguments.required("by", form)
            let insets =
                numbers.count == 1
                ? PixelInsets(all: numbers[0])
                : PixelInsets(top: numbers[0], left: numbers[3], bottom: numbers[2], right: numbers[1])
            return .chain(.pad(by: insets, color: color))
        }
    }
}
