import CCodecs

/// A named argument of an operation.
package enum VipsArgument {
    case integer(StaticString, Int)
    case flag(StaticString, Bool)
    case number(StaticString, Double)
    /// A text, the nickname of an enumeration's case, or the nickname of an interpolator.
    case text(StaticString, String)
    case picture(StaticString, VipsPicture)
    case numbers(StaticString, [Double])
    case integers(StaticString, [Int])
    case pictures(StaticString, [VipsPicture])
    /// Rows of numbers: at least one, all of equal length.
    case matrix(StaticString, [[Double]])

    /// The pictures that the operation reads.
    var pictures: [VipsPicture] {
        switch self {
        case .picture(_, let picture): [picture]
        case .pictures(_, let pictures): pictures
        default: []
        }
    }

    /// Sets the argument of an operation.
    ///
    /// Integers beyond 32 bits are clamped to the range of C; libvips rejects them.
    func set(on operation: OpaquePointer) {
        switch self {
        case .integer(let name, let value):
            unsafe cc_vips_set_integer(operation, name.cString, Int32(clamping: value))
        case .flag(let name, let value):
            unsafe cc_vips_set_flag(operation, name.cString, value ? 1 : 0)
        case .number(let name, let value):
            unsafe cc_vips_set_number(operation, name.cString, value)
        case .text(let name, let value):
            unsafe cc_vips_set_text(operation, name.cString, value)
        case .picture(let name, let value):
            unsafe cc_vips_set_picture(operation, name.cString, value.pointer)
        case .numbers(let name, let values):
            unsafe cc_vips_set_numbers(operation, name.cString, values, values.count)
        case .integers(let name, let values):
            let values = values.map(Int32.init(clamping:))
            unsafe cc_vips_set_integers(operation, name.cString, values, values.count)
        case .pictures(let name, let values):
            let pointers = unsafe values.map { unsafe $0.pointer as OpaquePointer? }
            unsafe cc_vips_set_pictures(operation, name.cString, pointers, pointers.count)
        case .matrix(let name, let rows):
            let values = rows.flatMap(\.self)
            unsafe cc_vips_set_matrix(
                operation,
                name.cString,
                values,
                Int32(rows[0].count),
                Int32(rows.count)
            )
        }
    }
}

extension StaticString {
    /// The text as a C string: a static string ends with a zero byte.
    var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
