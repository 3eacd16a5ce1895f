package import FoundationEssentials

/// A request as the origin has received it.
package struct OriginRequest: Hashable, Sendable {
    /// The method, such as `GET`.
    package let method: String
    /// The path and the query, as they came.
    package let target: String
    /// The header fields, in order; names in lower case.
    package let headers: [OriginField]

    /// The path alone, still percent-encoded.
    package var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// The value of the first field with this name, given in lower case.
    package subscript(header name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

/// A header field.
package struct OriginField: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What the origin does with a request: an answer, or as much of one as the test wants.
package struct OriginResponse: Sendable {
    /// How the end of the body is told.
    package enum Framing: Sendable {
        /// By the true `Content-Length`.
        case counted
        /// By this `Content-Length`, true or not.
        case announced(Int)
        /// By chunks; one for each step of bytes.
        case chunked
        /// By the end of the connection.
        case untilClose
        /// Not at all: the steps are all that is sent, head included.
        case raw
    }

    /// One thing that the origin does while it answers.
    package enum Step: Sendable {
        /// Sends bytes.
        case bytes(Data)
        /// Waits until the gate is open.
        case wait(OriginGate)
        /// Closes the connection in order.
        case close
        /// Breaks the connection off, as when a machine goes down.
        case reset
    }

    package var status = 200
    package var headers: [OriginField] = []
    package var framing = Framing.counted
    /// Held back before the head is sent.
    package var gate: OriginGate?
    /// What happens after the head.
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
    /// A whole body.
    package static func body(_ bytes: Data, type: String = "application/octet-stream") -> OriginResponse {
        OriginResponse(headers: [OriginField("Content-Type", type)], steps: [.bytes(bytes)])
    }

    /// A status with a short text.
    package static func status(_ status: Int, text: String = "nothing to see here") -> OriginResponse {
        OriginResponse(status: status, steps: [.bytes(Data(text.utf8))])
    }

    /// A redirect.
    package static func redirect(to location: String, status: Int = 302) -> OriginResponse {
        OriginResponse(status: status, headers: [OriginField("Location", location)])
    }

    /// A body that announces another size than it has.
    package static func body(_ bytes: Data, announcing byteCount: Int) -> OriginResponse {
        OriginResponse(framing: .announced(byteCount), steps: [.bytes(bytes), .close])
    }

    /// A body that breaks off after `byteCount` bytes.
    package static func body(_ bytes: Data, resetAfter byteCount: Int) -> OriginResponse {
        OriginResponse(framing: .announced(bytes.count), steps: [.bytes(bytes.prefix(byteCount)), .reset])
    }

    /// Bytes in chunks, without a size.
    package static func chunked(_ chunks: [Data]) -> OriginResponse {
        OriginResponse(framing: .chunked, steps: chunks.map { .bytes($0) })
    }

    /// Bytes in the place of an answer.
    package static func raw(_ bytes: Data) -> OriginResponse {
        OriginResponse(framing: .raw, steps: [.bytes(bytes), .close])
    }

    /// Waits at the gate before it answers.
    package func held(by gate: OriginGate) -> OriginResponse {
        var response = self
        response.gate = gate
        return response
    }
}

extension OriginResponse {
    /// The bytes of the head, or `nil` where the steps bring their own.
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

    /// Whether the connection can take another request after the answer.
    var keepsConnection: Bool {
        switch framing {
        case .counted, .chunked: true
        case .announced, .untilClose, .raw: false
        }
    }

    /// The bytes of one step as they are sent.
    func framed(_ bytes: Data) -> Data {
        guard case .chunked = framing else { return bytes }
        return Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8)
    }

    /// What closes a body.
    var tail: Data? {
        if case .chunked = framing { Data("0\r\n\r\n".utf8) } else { nil }
    }

    private var byteCount: Int {
        steps.reduce(0) { sum, step in
            if case .bytes(let bytes) = step { sum + bytes.count } else { sum }
        }
    }
}
