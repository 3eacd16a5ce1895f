import Calotype
import CalotypeCore
import CalotypeServer
import CalotypeTesting
import CalotypeTransforms
import Foundation
import TestSupport
import Testing

/// thumbor's filters by their results, for pixels whose values thumbor 7.8 computes with integers.
@Suite(.blocking) struct ThumborFilterTests {
    private static let source = "src.test/photo.jpg"
    private static let image = TestImages.photograph(PixelSize(width: 60, height: 40), format: .rgba8)

    private static func rendering(_ filters: String) throws(RequestError) -> Rendering {
        try ThumborGrammar().rendering(of: "/unsafe/filters:\(filters)/\(source)")
    }

    private static func picture(_ pixels: [[UInt8]]) -> Image {
        let bytes = pixels.flatMap(\.self)
        return Image(
            size: PixelSize(width: pixels.count, height: 1),
            pixelFormat: pixels[0].count == 3 ? .rgb8 : .rgba8,
            pixels: PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        )
    }

    private static func result(_ filters: String, _ pixels: [[UInt8]]) throws -> [[UInt8]] {
        let result = try rendering(filters).transforms.apply(to: picture(pixels))
        let bytes = [UInt8](result.rgba8())
        return stride(from: 0, to: bytes.count, by: 4).map { Array(bytes[$0..<$0 + 3]) }
    }

    @Test(
        arguments: [
            // trunc(255 × 33 ÷ 100) = 84
            ("brightness(33)", [100, 200, 0], [184, 255, 84]),
            ("brightness(-33)", [100, 200, 0], [16, 116, 0]),
            // (120² ÷ 100) = 144: 144 × (100 − 128) ÷ 100 = −40
            ("contrast(20)", [100, 200, 0], [88, 231, 0]), ("contrast(-50)", [100, 200, 0], [121, 146, 96]),
            ("contrast(0)", [1, 128, 254], [1, 128, 254]), ("rgb(20,-40,0)", [100, 200, 50], [151, 98, 50]),
            ("rgb(100,0,-100)", [100, 200, 50], [255, 200, 0]),
            ("colorize(0,50,100,ff4400)", [100, 200, 50], [100, 134, 0]),
            ("colorize(40,40,40,0000ff)", [100, 200, 51], [60, 120, 132]),
            ("invert()", [100, 200, 50], [155, 55, 205]),
            // √(0.299 × 255²) = 139.4
            ("grayscale()", [255, 0, 0], [76, 76, 76]), ("grayscale()", [0, 255, 0], [150, 150, 150]),
            ("grayscale()", [0, 0, 255], [29, 29, 29]), ("saturation(0)", [255, 0, 0], [139, 139, 139]),
            ("saturation(2)", [255, 0, 0], [255, 0, 0]), ("saturation(1)", [1, 128, 254], [1, 128, 254]),
            ("saturation(1.5)", [100, 200, 50], [68, 218, 0]),
            ("curve([(0,0),(255,255)],[(0,255),(255,0)],[],[(0,7)])", [100, 200, 50], [155, 200, 7]),
            (
                "curve([(0,255),(255,0)],[(0,100)],[(0,0),(255,255)],[(0,0),(255,255)])", [9, 200, 50],
                [155, 55, 205]
            ),
        ] as [(String, [UInt8], [UInt8])]
    )
    func `a pixel becomes the one that thumbor computes`(filter: String, pixel: [UInt8], expected: [UInt8])
        throws
    {
        #expect(try Self.result(filter, [pixel]) == [expected])
    }

    @Test(
        arguments: [
            ("equalize()", .equalize), ("noise(40)", .noise(amount: 40)),
            ("noise(40,7)", .noise(amount: 40, seed: 7)),
            ("sharpen(2,0,true)", .sharpen(sigma: 1.3, amount: 1.86, onlyLuminance: true)),
            ("sharpen(2,200,false)", .sharpen(sigma: 15, amount: 0)), ("hue(90)", .adjust(hueDegrees: 90)),
            ("pixelate()", .pixelate(side: 10)), ("pixelate(7)", .pixelate(side: 7)),
            ("round_corner(9|5,0,0,0,true)", .roundCorners(horizontalRadius: 9, verticalRadius: 5)),
            (
                "convolution(1;2;1;2;4;2;1;2;1,3,true)",
                .convolve(ConvolutionKernel(rows: [[1, 2, 1], [2, 4, 2], [1, 2, 1]]).normalized)
            ),
            (
                "convolution(1;2;1;2;4;2;1;2;1,3)",
                .convolve(ConvolutionKernel(rows: [[1, 2, 1], [2, 4, 2], [1, 2, 1]]).normalized)
            ),
            (
                "convolution(-1;-1;-1;-1;8.5;-1;-1;-1;-1,3,false)",
                .convolve(ConvolutionKernel(rows: [[-1, -1, -1], [-1, 8.5, -1], [-1, -1, -1]]))
            ),
            ("convolution(-1;0;1,1)", .convolve(ConvolutionKernel(rows: [[-1], [0], [1]]))),
        ] as [(String, TransformChain)]
    )
    func `a filter is its transform`(filter: String, expected: TransformChain) throws {
        let result = try Self.rendering(filter).transforms.apply(to: Self.image)
        #expect(try result.rgba8() == expected.apply(to: Self.image).rgba8())
    }

    /// thumbor convolves with a Gaussian that ends at the radius, once for each direction.
    @Test(arguments: [("blur(2)", 2, 2.0), ("blur(5)", 5, 5), ("blur(2,10)", 2, 10), ("blur(5,2)", 5, 2)])
    func `a blur is as wide as thumbor's kernel`(filter: String, radius: Int, sigma: Double) throws {
        let weights = (-radius...radius).map { distance -> Double in
            let square = Double(distance * distance)
            return exp(-square / (2 * sigma * sigma))
        }
        let row = ConvolutionKernel(rows: [weights]).normalized
        let column = ConvolutionKernel(rows: weights.map { [$0] }).normalized
        let edge = Self.picture((0..<60).map { $0 < 30 ? [0, 0, 0] : [255, 255, 255] })
        let expected = try TransformChain.convolve(row).appending(.convolve(column)).apply(to: edge)
        let result = try Self.rendering(filter).transforms.apply(to: edge)
        for (got, wanted) in zip(result.rgba8(), expected.rgba8()) {
            #expect(abs(Int(got) - Int(wanted)) <= 16)
        }
    }

    @Test(arguments: [
        (7, 7.0, 4.002), (20, 20, 11.021), (2, 10, 1.409), (50, 50, 27.21), (150, 150, 81.166),
        (7, 1e-200, 0),
    ])
    func `a blur has the variance of thumbor's kernel`(radius: Int, sigma: Double, expected: Double) throws {
        let blur = try Self.rendering("blur(\(radius),\(sigma))").transforms
        let other = expected == 0 ? TransformChain() : .blur(sigma: expected)
        #expect(try blur.apply(to: Self.image).rgba8() == other.apply(to: Self.image).rgba8())
    }

    /// Levels of detail between successive blurs of 1–2–1 with doubled distances.
    private static func octaves(_ levels: [Double]) -> [[Double]] {
        var (base, details) = (levels, [[Double]]())
        for distance in [1, 2, 4, 8, 16] {
            let at = { (index: Int) in
                base[index < 0 ? -index : index < base.count ? index : 2 * base.count - 2 - index]
            }
            let blurred = base.indices.map { index -> Double in
                let around = at(index - distance) + at(index + distance)
                return (2 * at(index) + around) / 4
            }
            details.append(zip(base, blurred).map { $0 - $1 })
            base = blurred
        }
        return details
    }

    @Test(arguments: [0, 0.5, 1, 2]) func `sharpening adds about the detail that thumbor adds`(radius: Double)
        throws
    {
        let wave = (0..<200).map { place -> Double in
            var level = 128.0
            for number in 1..<90 {
                let turn = 2 * Double.pi * Double(number * place) / 200
                level += 30 / Double(number) * sin(turn + Double(number * number))
            }
            return level
        }
        let pixels = wave.map { [UInt8](repeating: UInt8($0.rounded()), count: 3) }
        let result = try Self.result("sharpen(2,\(radius),false)", pixels)
        let details = Self.octaves(pixels.map { Double($0[0]) })
        var (change, difference) = (0.0, 0.0)
        for place in 30..<170 {
            var added = 0.0
            for (number, detail) in details.enumerated() {
                let distance = Double(number) - radius
                added += 2 * exp(-distance * distance / 1.5) * detail[place]
            }
            change += abs(added)
            difference += abs(Double(result[place][0]) - Double(pixels[place][0]) - added)
        }
        #expect(difference < 0.4 * change, "\(difference) of \(change)")
    }

    @Test func `percent-encoded lists are lists`() throws {
        let plain = try Self.rendering("curve([(0,255),(255,0)],[],[],[])")
        let encoded = "curve(%5B(0%2C255),(255,0)%5D,%5B%5D,[],[])"
        #expect(try Self.rendering(encoded).transforms == plain.transforms)
    }

    @Test func `a fill is made of the image: its mean colour, or the image blurred`() throws {
        let grammar = ThumborGrammar()
        for (filter, backdrop) in [("auto", PadBackdrop.averageColor), ("blur", .blurred(sigma: 27.21))] {
            for (flag, fills) in [("", false), (",true", true)] {
                let target = "/unsafe/fit-in/30x60/filters:fill(\(filter)\(flag))/\(Self.source)"
                let result = try grammar.rendering(of: target).transforms.apply(to: Self.image)
                let expected = TransformChain.resize(to: PixelSize(width: 30, height: 20)).appending(
                    .pad(to: PixelSize(width: 30, height: 60), backdrop: backdrop, fillsTransparency: fills)
                )
                #expect(result.size == PixelSize(width: 30, height: 60))
                #expect(try result.rgba8() == expected.apply(to: Self.image).rgba8(), "\(filter)\(flag)")
            }
        }
    }

    // MARK: - Focal areas

    /// An image of 90 × 30 whose crop to a square begins at a column.
    @Test(arguments: [
        ("30x30/filters:focal(0x0:10x10)", 0), ("30x30/filters:focal(80x0:90x10)", 60),
        ("30x30/filters:focal(40x0:50x30)", 30), ("30x30/filters:focal(10x0:30x30)", 5),
        // Weights are areas: 20 × 30 around 20, and 10 × 15 around 75.
        ("30x30/filters:focal(10x0:30x30):focal(70x0:80x15)", 16),
        // Instead of the alignment and of smart.
        ("30x30/right/smart/filters:focal(0x0:10x10)", 0),
        // Within a manual crop; an area outside is ignored.
        ("10x0:90x30/30x30/filters:focal(20x0:40x30)", 15), ("50x0:90x30/30x30/filters:focal(0x0:10x30)", 55),
        ("30x30/filters:focal(5000x0:90000x30)", 60), ("30x30", 30),
    ])
    func `a crop keeps the middle of the focal areas`(parts: String, column: Int) throws {
        let image = TestImages.asymmetric(PixelSize(width: 90, height: 30))
        let rendering = try ThumborGrammar().rendering(of: "/unsafe/\(parts)/\(Self.source)")
        let result = try rendering.transforms.apply(to: image)
        let expected = TransformChain.crop(to: PixelRect(x: column, y: 0, width: 30, height: 30))
        #expect(try result.rgba8() == expected.apply(to: image).rgba8())
    }

    @Test func `a focal area does not affect fit-in`() throws {
        let both = try ["", "filters:focal(0x0:5x5)/"].map {
            try ThumborGrammar().rendering(of: "/unsafe/fit-in/30x30/\($0)\(Self.source)").transforms.apply(
                to: Self.image
            )
        }
        #expect(both[0].rgba8() == both[1].rgba8())
    }

    // MARK: - Formats

    @Test(arguments: [
        ("autojpg()", PixelFormat.rgb8, ImageFormat.jpeg), ("autojpg(true)", .rgb8, .jpeg),
        ("autojpg(1)", .gray8, .jpeg), ("autojpg()", .rgba8, .png), ("autojpg(false)", .rgb8, .png),
        ("grayscale()", .rgb8, .png),
    ])
    func `autojpg turns opaque PNG into JPEG`(filter: String, pixels: PixelFormat, format: ImageFormat) throws
    {
        let drawn = TestImages.photograph(PixelSize(width: 8, height: 6), format: pixels)
        let image = Image(size: drawn.size, pixelFormat: pixels, pixels: drawn.pixels, format: .png)
        let encoder = try #require(Self.rendering(filter).request().encoding?.encoder)
        #expect(ImageFormat(sniffing: try encoder.encode(image)) == format)
    }

    @Test func `autojpg has its own key, and a named or accepted format takes precedence`() throws {
        let plain = try Self.rendering("cover()").request()
        let automatic = try Self.rendering("cover():autojpg()").request()
        #expect(plain != automatic && plain.encoding != automatic.encoding)
        #expect(plain.encoding?.encoder.cacheIdentity != automatic.encoding?.encoder.cacheIdentity)
        #expect(try Self.rendering("autojpg():format(png)").request().encoding?.format == .png)
        #expect(try Self.rendering("autojpg()").request(negotiated: .webP).encoding?.format == .webP)
    }

    // MARK: - Invalid arguments

    @Test(arguments: [
        "autojpg(1,2)", "colorize(1,2,3)", "colorize(101,0,0,fff)", "colorize(-1,0,0,fff)",
        "colorize(1,1,1,xyz)",
        "colorize(1.5,0,0,fff)", "convolution()", "convolution(1,2)", "convolution(1;2;3,2)",
        "convolution(1;1,2)",
        "convolution(1;2;3,0)", "convolution(1;2;3,-3)", "convolution(1;a;3,3)", "convolution(1;;3,3)",
        "convolution(1;NaN;3,3)", "convolution(1e309;1;1,3)", "convolution(1e7;1;1,3)",
        "convolution(1;2;3,13)",
        "convolution(1;2;3,99999999999999999999)", "convolution(1;2;3,3,true,1)", "convolution(1;-1;1e-9,3)",
        "convolution(\(String(repeating: "1;", count: 168))1,13)", "curve()", "curve([],[],[])",
        "curve([],[],[],[],[])", "curve(1,[],[],[])", "curve([(0)],[],[],[])", "curve([(0,1,2)],[],[],[])",
        "curve([(0,256)],[],[],[])", "curve([(-1,0)],[],[],[])", "curve([(5,0),(5,1)],[],[],[])",
        "curve([(9,0),(5,1)],[],[],[])", "curve([0,1],[],[],[])", "curve([[(0,1)]],[],[],[])",
        "curve([((0,1)],[],[],[])", "equalize(1)", "focal()", "focal(1x2)", "focal(1x2:3)", "focal(5x5:5x9)",
        "focal(9x9:5x20)", "focal(-1x0:5x5)", "focal(0x0:100001x5)", "focal(1x2x3:4x5)", "focal(axb:cxd)",
        "noise()", "noise(101)", "noise(-1)", "noise(1,-1)", "noise(1,2147483648)", "noise(1.5)", "rgb(1,2)",
        "rgb(101,0,0)", "rgb(0,-101,0)", "rgb(nan,0,0)", "hue()", "hue(1e309)", "hue(3601)", "invert(1)",
        "pixelate(-1)", "pixelate(100001)", "pixelate(1,2)", "fill(auto,1,2)", "round_corner(1|2|3,0,0,0)",
        "round_corner(1|,0,0,0)", "sharpen(1,-1,true)", "contrast(101)", "contrast()", "saturation(100.1)",
    ])
    func `a filter with wrong arguments is refused by its name`(filter: String) {
        do throws(RequestError) {
            _ = try Self.rendering(filter)
            Issue.record("\(filter) was accepted")
        } catch {
            #expect(error.code == .invalidOption && error.option.map(filter.hasPrefix) == true)
        }
    }

    @Test func `a kernel and a curve of the largest size are accepted, and any larger one is not`() throws {
        let kernel = { (side: Int) in
            "convolution(\(Array(repeating: "1", count: side * side).joined(separator: ";")),\(side))"
        }
        _ = try Self.rendering(kernel(11)).request()
        #expect(refusal { _ = try Self.rendering(kernel(13)) } == .invalidOption)
        let curve = { (count: Int) in
            "curve([\((0..<count).map { "(\($0),\($0))" }.joined(separator: ","))],[],[],[])"
        }
        let all = try Self.rendering(curve(256)).transforms
        #expect(try all == Self.rendering("curve([],[],[],[])").transforms)
        #expect(refusal { _ = try Self.rendering(curve(257)) } == .invalidOption)
    }

    @Test func `steps are explained in a few words`() throws {
        let steps = try Self.rendering("rgb(1,2,3):focal(0x0:5x5):fill(blur):noise(4)").stepSummaries
        #expect(steps.contains("keep 1 focal areas") && steps.contains("noise amount 4, seed 0"))
        #expect(steps.contains("fill with itself, blurred by 27.21"))
        #expect(steps.allSatisfy { $0.count < 200 })
    }
}
