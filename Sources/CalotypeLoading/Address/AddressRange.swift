import CalotypeTransfer

/// A range of network addresses with a common prefix, in the notation of RFC 4632: `10.0.0.0/8`, `fd00::/8`,
/// or a single address.
///
/// ```swift
/// configuration.addressPolicy = .publicOnly(allowing: ["10.1.2.0/24"], ports: [80, 443, 9000])
/// ```
public struct AddressRange: Hashable, Sendable {
    private let address: IPAddress
    /// The length of the prefix in bits.
    private let prefix: Int

    /// Parses a range.
    ///
    /// - Returns: `nil` if the text is not an address, or the prefix is longer than the address.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress(literal: String($0)) }) else { return nil }
        let bitCount = if case .v4 = address { 32 } else { 128 }
        guard parts.count == 2 else {
            (self.address, prefix) = (address, bitCount)
            return
        }
        guard let prefix = Int(parts[1]), (0...bitCount).contains(prefix) else { return nil }
        (self.address, self.prefix) = (address, prefix)
    }

    func contains(_ other: IPAddress) -> Bool {
        switch (address, other) {
        case (.v4(let own), .v4(let bits)):
            own >> (32 - prefix) == bits >> (32 - prefix)
        case (.v6(let ownHigh, let ownLow), .v6(let high, let low)):
            ownHigh >> (64 - min(prefix, 64)) == high >> (64 - min(prefix, 64))
                && ownLow >> (64 - max(prefix - 64, 0)) == low >> (64 - max(prefix - 64, 0))
        default: false
        }
    }
}

extension AddressRange {
    /// The loopback addresses, including those of IPv4 mapped to IPv6.
    package static let loopback: [AddressRange] = ["127.0.0.0/8", "::1", "::ffff:127.0.0.0/104"]

    /// Returns whether a text is an address in the range, in any spelling that the system accepts.
    package func contains(_ text: String) -> Bool { IPAddress(literal: text).map(contains) ?? false }
}

extension AddressRange: ExpressibleByStringLiteral {
    /// Creates a range from a literal.
    ///
    /// - Precondition: The literal is a range.
    public init(stringLiteral value: String) {
        guard let range = AddressRange(value) else {
            preconditionFailure("invalid address range: \(value)")
        }
        self = range
    }
}
