import CalotypeLoading
import CalotypeServer
import FoundationEssentials
import HTTPTypes

extension ServiceRequest {
    /// Creates a service request from an HTTP request.
    ///
    /// - Parameters:
    ///   - head: The HTTP request.
    ///   - target: The path and query below the path prefix of the service.
    ///   - id: The request ID.
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

extension ServiceResponse {
    /// The names of common fields, since validating a name takes time.
    private static let names: [String: HTTPField.Name] = {
        let names = [
            "Age", "Cache-Control", "Content-Disposition", "Content-Type", "ETag", "Last-Modified",
            "Retry-After", "Server-Timing", "Vary", "X-Cache", "X-Content-Type-Options",
        ]
        let pairs = names.compactMap { name in HTTPField.Name(name).map { (name, $0) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }()

    var head: HTTPResponse {
        var fields = HTTPFields()
        fields.reserveCapacity(self.fields.count + 4)
        for field in self.fields {
            guard let name = Self.names[field.name] ?? HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        return HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
    }
}
