/// The used operations of libvips; none of them reads an image file.
package enum VipsOperation: String, CaseIterable {
    case abs
    case add
    case affine
    case bandjoin
    case bandjoin_const
    case black
    case cast
    case colourspace
    case composite2
    case conv
    case copy
    case divide
    case embed
    case extract_area
    case extract_band
    case flatten
    case flip
    case gaussblur
    case insert
    case invert
    case linear
    case maplut
    case math2_const
    case multiply
    case premultiply
    case recomb
    case reduce
    case replicate
    case resize
    case rot
    case round
    case sharpen
    case shrink
    case smartcrop
    case subtract
    case text
    case tilecache
    case unpremultiply
    case xyz
    case zoom

    /// The name of the operation's input picture.
    var inputName: StaticString {
        switch self {
        case .add, .divide, .multiply, .subtract: "left"
        case .composite2: "base"
        case .extract_area, .smartcrop, .zoom: "input"
        case .insert: "main"
        default: "in"
        }
    }
}
