package import FoundationEssentials

package struct OriginRequest: Hashable, Sendable {
    /// The method, such as `GET`.
    package let method: String
    /// The path and the query, as received.
    package let target: String
    /// The header fields in order; names are in lower case.
    package let headers: [OriginField]

    /// The path without the query, percent-encoded.
    package var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// Returns the value of the first field with a name, given in lower case.
    package subscript(header name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

package struct OriginField: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The reaction of the origin to a request: a response, or as much of one as the test needs.
package struct OriginResponse: Sendable {
    package enum Framing: Sendable {
        /// The correct `Content-Length`.
        case counted
        /// The given `Content-Length`, correct or not.
        case announced(Int)
        /// Chunks, one for each step of bytes.
        case chunked
        /// The end of the connection.
        case untilClose
        /// None: the steps are sent as they are, without a header.
        case raw
    }

    package enum Step: Sendable {
        /// Sends bytes.
        case bytes(Data)
        /// Waits until the gate is open.
        case wait(OriginGate)
        /// Closes the connection in an orderly way.
        case close
        /// Resets the connection, as when a machine goes down.
        case reset
    }

    package var status = 200
    package var headers: [OriginField] = []
    package var framing = Framing.counted
    /// A gate to wait at before the header is sent.
    package var gate: OriginGate?
    package var steps: [Step] = []

    package init(
        status: Int = 200,
        headers: [OriginField] = [],
        framing: Framing = .counted,
        gate: OriginGate? = nil,
        steps: [Step] = []
    ) {
        self.status = status
        self.headers = headers
        self.framing = framing
        self.gate = gate
        self.steps = steps
    }
}

extension OriginResponse {
    package static func body(_ bytes: Data, type: String = "application/octet-stream") -> OriginResponse {
        OriginResponse(headers: [OriginField("Content-Type", type)], steps: [.bytes(bytes)])
    }

    package static func status(_ status: Int, text: String = "nothing to see here") -> OriginResponse {
        OriginResponse(status: status, steps: [.bytes(Data(text.utf8))])
    }

    package static func redirect(to location: String, status: Int = 302) -> OriginResponse {
        OriginResponse(status: status, headers: [OriginField("Location", location)])
    }

    /// Returns a body whose announced size is wrong.
    package static func body(_ bytes: Data, announcing byteCount: Int) -> OriginResponse {
        OriginResponse(framing: .announced(byteCount), steps: [.bytes(bytes), .close])
    }

    /// Returns a body that ends early, after `byteCount` bytes.
    package static func body(_ bytes: Data, resetAfter byteCount: Int) -> OriginResponse {
        OriginResponse(framing: .announced(bytes.count), steps: [.bytes(bytes.prefix(byteCount)), .reset])
    }

    /// Returns bytes in chunks, without a size.
    package static func chunked(_ chunks: [Data]) -> OriginResponse {
        OriginResponse(framing: .chunked, steps: chunks.map { .bytes($0) })
    }

    /// Returns bytes in place of a response.
    package static func raw(_ bytes: Data) -> OriginResponse {
        OriginResponse(framing: .raw, steps: [.bytes(bytes), .close])
    }

    package func held(by gate: OriginGate) -> OriginResponse {
        var response = self
        response.gate = gate
        return response
    }
}

extension OriginResponse {
    /// The bytes of the header, or `nil` if the steps contain it.
    var head: Data? {
        var lines = ["HTTP/1.1 \(status) Status"]
        switch framing {
        case .raw: return nil
        case .counted: lines.append("Content-Length: \(byteCount)")
        case .announced(let byteCount): lines.append("Content-Length: \(byteCount)")
        case .chunked: lines.append("Transfer-Encoding: chunked")
        case .untilClose: lines.append("Connection: close")
        }
        lines += headers.map { "\($0.name): \($0.value)" }
        return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Whether the connection can take another request after the response.
    var keepsConnection: Bool {
        switch framing {
        case .counted, .chunked: true
        case .announced, .untilClose, .raw: false
        }
    }

    /// Returns the bytes of one step as they are sent.
    func framed(_ bytes: Data) -> Data {
        guard case .chunked = framing else { return bytes }
        return Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8)
    }

    /// The bytes that end the body.
    var tail: Data? {
        if case .chunked = framing { Data("0\r\n\r\n".utf8) } else { nil }
    }

    private var byteCount: Int {
        steps.reduce(0) { sum, step in
            if case .bytes(let bytes) = step { sum + bytes.count } else { sum }
        }
    }
}
