import CalotypeLoading
import CalotypeServer
import FoundationEssentials
import HTTPTypes
import NIOCore

extension ServiceRequest {
    /// What of a request of HTTP the service looks at.
    ///
    /// - Parameters:
    ///   - head: The request.
    ///   - target: What it asks for below the place where the service is.
    ///   - id: What the caller calls it.
    init(_ head: HTTPRequest, target: String, id: String? = nil) {
        self.init(
            target: target,
            accept: head.headerFields[.accept],
            ifNoneMatch: head.headerFields[.ifNoneMatch]
        )
        method = head.method.rawValue
        ifModifiedSince = head.headerFields[.ifModifiedSince]
        requestID = id
    }
}

extension ServiceAnswer {
    /// The names of the fields of most answers, which take a while to check.
    private static let names: [String: HTTPField.Name] = {
        let names = [
            "Age", "Cache-Control", "Content-Disposition", "Content-Type", "ETag", "Last-Modified",
            "Retry-After", "Server-Timing", "Vary", "X-Cache", "X-Content-Type-Options",
        ]
        let pairs = names.compactMap { name in HTTPField.Name(name).map { (name, $0) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }()

    /// The status and the fields.
    var head: HTTPResponse {
        var fields = HTTPFields()
        fields.reserveCapacity(self.fields.count + 4)
        for field in self.fields {
            guard let name = Self.names[field.name] ?? HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        return HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
    }

    /// The body.
    var buffer: ByteBuffer { status == 304 ? ByteBuffer() : ByteBuffer(bytes: body) }
}
