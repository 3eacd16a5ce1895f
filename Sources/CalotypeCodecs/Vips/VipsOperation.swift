/// The operations of libvips that are used: none of them reads an image file.
package enum VipsOperation: String, CaseIterable {
    case abs
    case add
    case affine
    case avg
    case bandjoin
    case bandjoin_const
    case bandmean
    case black
    case cast
    case colourspace
    case composite2
    case convsep
    case copy
    case divide
    case embed
    case extract_area
    case extract_band
    case find_trim
    case flatten
    case flip
    case gamma
    case gaussblur
    case ifthenelse
    case insert
    case invert
    case linear
    case math2_const
    case multiply
    case premultiply
    case recomb
    case reduce
    case relational_const
    case replicate
    case resize
    case rot
    case round
    case sharpen
    case shrink
    case smartcrop
    case stats
    case subtract
    case text
    case tilecache
    case unpremultiply
    case xyz
    case zoom

    /// How the operation names the picture that it works on.
    var inputName: StaticString {
        switch self {
        case .add, .divide, .multiply, .subtract: "left"
        case .composite2: "base"
        case .extract_area, .smartcrop, .zoom: "input"
        case .ifthenelse: "cond"
        case .insert: "main"
        default: "in"
        }
    }
}
