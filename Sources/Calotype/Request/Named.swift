/// A part of a program's own with the name that stands for it: in keys, and where two are compared.
///
/// Two of one name are taken for the same. The name therefore holds everything that the part's results depend
/// on, with a number that goes up when they change: `"gallery-codecs-2"`. It outlives the process, as keys
/// do.
public struct Named<Value: Sendable>: Hashable, Sendable {
    /// What stands for the part.
    public let name: String
    /// The part.
    public let value: Value

    /// Names a part.
    public init(_ name: String, _ value: Value) {
        (self.name, self.value) = (name, value)
    }

    /// Whether the names are equal.
    public static func == (left: Named, right: Named) -> Bool { left.name == right.name }

    /// Feeds the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}
