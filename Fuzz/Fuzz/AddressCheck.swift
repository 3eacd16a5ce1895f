import FoundationEssentials

@testable import CalotypeLoading

/// Addresses as text and as references: one reading, escaped once, in one spelling.
enum AddressCheck {
    private static let bases = ["http://base.test/d/e?q", "https://base.test:8443/", "http://base.test"]
        .compactMap { URL(address: $0) }

    static func run(_ text: String) {
        if let url = URL(address: text) { check(url) }
        for base in bases {
            if let url = URL(reference: text, relativeTo: base) { check(url) }
        }
    }

    private static func check(_ url: URL) {
        let text = url.absoluteString
        precondition(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a URL is printable ASCII")
        precondition(URL(address: text) == url, "an address in its one spelling is read as itself")
        var rest = Array(text.utf8)[...]
        while let mark = rest.firstIndex(of: UInt8(ascii: "%")) {
            precondition(beginsEscape(rest[mark...]), "each percent sign begins an escape")
            rest = rest[(mark + 1)...]
        }
        guard url.scheme == "http" || url.scheme == "https" else { return }
        do {
            let address = try HTTPAddress(url)
            precondition(
                address.host == address.host.lowercased() && !address.host.isEmpty,
                "a host has one case"
            )
            precondition(
                !address.text.utf8.contains(UInt8(ascii: "\\")),
                "no reader takes a slash for another"
            )
            let path = url.path(percentEncoded: true)
            precondition(path.hasPrefix("/"), "a path begins at the root")
            precondition(removingDotSegments(Array(path.utf8)[...]).elementsEqual(path.utf8), "it leads down")
            precondition(!address.text.utf8.contains(UInt8(ascii: "#")), "a fragment stays here")
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
        }
    }
}
