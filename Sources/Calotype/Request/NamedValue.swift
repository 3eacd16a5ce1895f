/// A component of the program, with a name that represents it in keys and comparisons.
///
/// Components with the same name count as equal. The name must therefore cover everything that affects the
/// component's results, with a number that increases when they change: `"gallery-codecs-2"`. Like keys, it
/// outlives the process.
public struct NamedValue<Value: Sendable>: Hashable, Sendable {
    /// The name of the component.
    public let name: String
    /// The component.
    public let value: Value

    /// Names a component.
    public init(_ name: String, _ value: Value) {
        (self.name, self.value) = (name, value)
    }

    /// Returns true if the names are equal.
    public static func == (left: NamedValue, right: NamedValue) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}
