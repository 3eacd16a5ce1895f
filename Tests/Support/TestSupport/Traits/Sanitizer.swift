import Glibc
public import Testing

/// A sanitizer that the tests may be built with; the value is a function of its runtime.
public enum Sanitizer: String, Sendable {
    case address = "__asan_init"
    case thread = "__tsan_init"

    /// Whether this process was built with it.
    public var isPresent: Bool { dlsym(nil, rawValue) != nil }
}

extension Trait where Self == ConditionTrait {
    /// For tests that a sanitizer does not support, or that take minutes under it and show it nothing new.
    public static func skipped(under sanitizers: Sanitizer..., because reason: Comment) -> ConditionTrait {
        .disabled(if: sanitizers.contains(where: \.isPresent), reason)
    }
}
