import CalotypeCore
import CalotypeSupport
import CalotypeTransforms

extension ThumborSettings {
    /// Applies filters that compute pixels from pixels, and the focal areas.
    ///
    /// - Returns: Whether the filter is one of them.
    mutating func applyEffects(_ filter: OptionArguments) throws(RequestError) -> Bool {
        switch filter.name {
        case "colorize": append(try Self.colorize(filter))
        case "convolution": append(.convolve(try Self.kernel(filter)))
        case "curve": append(try Self.curves(filter))
        case "equalize":
            try filter.expect(0...0)
            append(.equalize)
        case "noise":
            try filter.expect(1...2)
            let seed = filter.isGiven(1) ? try filter.integer(1, 0...Int(Int32.max)) : 0
            append(.noise(amount: try filter.integer(0, 0...100), seed: UInt64(seed)))
        case "rgb":
            try filter.expect(3...3)
            append(
                .toneCurves(
                    red: try Self.shift(filter, 0),
                    green: try Self.shift(filter, 1),
                    blue: try Self.shift(filter, 2)
                )
            )
        case "focal":
            try filter.expect(1...1)
            layout.focalAreas.append(try Self.focalArea(filter))
        case "autojpg":
            try filter.expect(0...1)
            replacesOpaquePNG = filter.count == 0 || filter.flag(0)
        default: return try applyImagorEffects(filter)
        }
        return true
    }

    /// Applies effects that only imagor has.
    private mutating func applyImagorEffects(_ filter: OptionArguments) throws(RequestError) -> Bool {
        switch filter.name {
        case "hue":
            try filter.expect(1...1)
            append(.adjust(hueDegrees: try filter.number(0, -3_600...3_600)))
        case "invert":
            try filter.expect(0...0)
            append(.invert)
        case "pixelate":
            try filter.expect(0...1)
            append(.pixelate(side: filter.isGiven(0) ? max(1, try filter.side(0)) : 10))
        default: return false
        }
        return true
    }

    private mutating func append(_ chain: TransformChain) {
        layout.steps.append(.transform(chain))
    }

    /// Parses `radius,sigma`.
    static func blur(_ filter: OptionArguments) throws(RequestError) -> TransformChain {
        try filter.expect(1...2)
        let radius = try filter.number(0, 1...150)
        let given = filter.isGiven(1) ? try filter.number(1, 0...200) : 0
        let sigma = gaussianSigma(radius: Int(clamping: radius), sigma: given == 0 ? radius : given)
        // The neighbours of a pixel have no weight.
        return sigma == 0 ? TransformChain() : .blur(sigma: sigma)
    }

    /// Returns the standard deviation of thumbor's kernel, a Gaussian that ends at a radius, in thousandths.
    ///
    /// A whole Gaussian of the same variance is as wide, at a cost that does not depend on the radius.
    static func gaussianSigma(radius: Int, sigma: Double) -> Double {
        // A narrower one has the weight of no neighbour either.
        let sigma = max(sigma, 0.1)
        var (sum, squares) = (0.0, 0.0)
        for distance in -radius...radius {
            let square = Double(distance * distance)
            let weight = exp(-square / (2 * sigma * sigma))
            (sum, squares) = (sum + weight, squares + square * weight)
        }
        return thousandths((squares / sum).squareRoot())
    }

    /// Parses `amount,radius,luminance_only`.
    ///
    /// thumbor adds octaves of detail, each blurred twice as wide as the one before, weighted by a Gaussian
    /// around the radius; the sixth has none. The unsharp mask is fitted to that for photographs.
    static func sharpen(_ filter: OptionArguments) throws(RequestError) -> TransformChain {
        try filter.expect(3...3)
        let (amount, radius) = (try filter.number(0, 0...10), try filter.number(1, 0...200))
        let excess = max(0, radius - 4)
        let part = 0.93 * exp(-0.33 * radius) * exp(-excess * excess / 1.5)
        return .sharpen(
            sigma: thousandths(min(1.3 * exp(0.97 * radius), 15)),
            amount: thousandths(amount * part),
            onlyLuminance: filter.flag(2)
        )
    }

    private static func thousandths(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }

    /// Adds a percentage of 255, without its fraction, to a channel.
    private static func shift(_ filter: OptionArguments, _ index: Int) throws(RequestError) -> ToneCurve {
        let amount = (255 * (try filter.number(index, -100...100)) / 100).rounded(.towardZero)
        return .truncating { $0 + amount }
    }

    /// The contrast of thumbor: the factor is a whole percentage, and results have no fraction.
    static func contrast(_ filter: OptionArguments) throws(RequestError) -> TransformChain {
        try filter.expect(1...1)
        let amount = try filter.number(0, -100...100) + 100
        let percentage = (amount * amount / 100).rounded(.towardZero)
        return .toneCurve(.truncating { (percentage * ($0 - 128) / 100).rounded(.towardZero) + 128 })
    }

    /// Parses `red%,green%,blue%,RRGGBB`: each channel moves towards that of the colour.
    private static func colorize(_ filter: OptionArguments) throws(RequestError) -> TransformChain {
        try filter.expect(4...4)
        let color = try filter.color(3)
        let channel = { (index: Int, fill: UInt8) throws(RequestError) -> ToneCurve in
            let percentage = Double(try filter.integer(index, 0...100))
            return .truncating { ($0 * (100 - percentage) + Double(fill) * percentage) / 100 }
        }
        return .toneCurves(
            red: try channel(0, color.red),
            green: try channel(1, color.green),
            blue: try channel(2, color.blue)
        )
    }

    /// Parses `a;b;c…,columns[,normalize]`.
    private static func kernel(_ filter: OptionArguments) throws(RequestError) -> ConvolutionKernel {
        try filter.expect(2...3)
        let maxSide = ConvolutionKernel.maxSide
        let columnCount = try filter.integer(1, 1...maxSide)
        // One part more than allowed, so that too many are noticed.
        let texts = filter.text(0).parts(between: UInt8(ascii: ";"), atMost: maxSide * maxSide + 1)
        let rowCount = texts.count / columnCount
        guard texts.count == rowCount * columnCount, !rowCount.isMultiple(of: 2), rowCount <= maxSide,
            !columnCount.isMultiple(of: 2)
        else {
            let given = "\(texts.count) weights in \(columnCount) columns"
            throw filter.error("\(given); use an odd number of columns and of rows, up to \(maxSide)")
        }
        let weights = OptionArguments(name: filter.name, values: texts, limits: filter.limits)
        var rows = [[Double]](repeating: [], count: rowCount)
        let limit = ConvolutionKernel.maxWeight
        for index in texts.indices {
            rows[index / columnCount].append(try weights.number(index, -limit...limit))
        }
        let kernel = ConvolutionKernel(rows: rows)
        let isNormalized = filter.count < 3 || filter.flag(2)
        return try checked(isNormalized ? kernel.normalized : kernel, filter)
    }

    /// Rejects weights that a division by their sum has made too large.
    private static func checked(
        _ kernel: ConvolutionKernel,
        _ filter: OptionArguments
    ) throws(RequestError) -> ConvolutionKernel {
        guard kernel.rows.joined().allSatisfy({ abs($0) <= ConvolutionKernel.maxWeight }) else {
            throw filter.error("the sum of the weights is too close to 0")
        }
        return kernel
    }

    /// Parses four lists of points, for all channels, red, green and blue; the first curve is applied last.
    private static func curves(_ filter: OptionArguments) throws(RequestError) -> TransformChain {
        try filter.expect(4...4)
        let all = try curve(filter, 0)
        return .toneCurves(
            red: try curve(filter, 1).followed(by: all),
            green: try curve(filter, 2).followed(by: all),
            blue: try curve(filter, 3).followed(by: all)
        )
    }

    /// Parses `[(x,y),(x,y)…]` by ascending x.
    private static func curve(_ filter: OptionArguments, _ index: Int) throws(RequestError) -> ToneCurve {
        let text = filter.text(index)
        guard text.hasPrefix("["), text.hasSuffix("]") else {
            throw filter.error("\(text.quoted) is not a list of points")
        }
        var points: [ToneCurve.Point] = []
        // A curve has at most one point for each level.
        for part in text.dropFirst().dropLast().parts(between: UInt8(ascii: ")"), atMost: 258) {
            if part.isEmpty || part == "," { continue }
            let values = (part.hasPrefix(",") ? part.dropFirst() : part).dropFirst()
            let numbers = values.parts(between: UInt8(ascii: ","), atMost: 3).map { UInt8($0) }
            guard part.drop(while: { $0 == "," }).hasPrefix("("), numbers.count == 2,
                let level = numbers[0], let result = numbers[1]
            else { throw filter.error("\(part.quoted) is not a point of 0 to 255") }
            points.append(ToneCurve.Point(level: level, result: result))
        }
        do throws(TransformError) {
            return try ToneCurve(through: points)
        } catch {
            throw filter.error(error.detail)
        }
    }

    /// Parses `left x top : right x bottom`.
    private static func focalArea(_ filter: OptionArguments) throws(RequestError) -> PixelRect {
        let corners = filter.text(0).parts(between: UInt8(ascii: ":"), atMost: 3)
            .map { $0.parts(between: UInt8(ascii: "x"), atMost: 3) }
        guard corners.count == 2, corners.allSatisfy({ $0.count == 2 }) else {
            throw filter.error("write the area as LEFTxTOP:RIGHTxBOTTOM")
        }
        let sides = OptionArguments(name: filter.name, values: corners.flatMap(\.self), limits: filter.limits)
        let (left, top) = (try sides.side(0), try sides.side(1))
        let (right, bottom) = (try sides.side(2), try sides.side(3))
        guard right > left, bottom > top else { throw filter.error("the area is empty") }
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
